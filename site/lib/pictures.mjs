// Draws the Mermaid text of the pages while the site is built, so that a reader's browser runs no script for it.
import { renderMermaidSVG } from 'beautiful-mermaid'

const colors = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  muted: 'var(--vp-c-text-2)',
  line: 'var(--vp-c-text-3)',
  accent: 'var(--vp-c-brand-1)',
  surface: 'var(--vp-c-bg-soft)',
  border: 'var(--vp-c-border)',
}

const keywords = new Set(
  'sequenceDiagram participant as alt else loop opt end stateDiagram v2 flowchart subgraph TD LR br note over'.split(' '))

/** The library leaves out a line that it does not understand. So every word must be in the picture. */
function draw(source) {
  const svg = renderMermaidSVG(source, { ...colors, transparent: true, padding: 8 })
  const drawn = new Set(svg.match(/\w+/g))
  const missing = source.match(/\w+/g).filter((word) => !keywords.has(word) && !drawn.has(word))
  if (missing.length > 0) throw new Error(`not drawn: ${missing.join(' ')}\n${source}`)
  // The library asks another server for a font that the site has.
  return svg.replace(/@import url\([^)]*\);/g, '').replace('<svg ', '<svg role="img" ')
}

/** Vue takes the style out of a picture that is part of a page's template. So the page gets it as text. */
function escape(code) {
  return code.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

export function pictures(md) {
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, i, options, env, self) =>
    tokens[i].info.trim() === 'mermaid'
      ? `<div class="picture" v-html="${escape(JSON.stringify(draw(tokens[i].content)))}"></div>\n`
      : fence(tokens, i, options, env, self)
}
