// Links of docs/ work on the public forge. Here they become links of the site.
import path from 'node:path'
import { docs, resolve } from './docs.mjs'

export function links(md) {
  md.core.ruler.push('links-of-docs', (state) => {
    const file = path.relative(docs, state.env.realPath ?? state.env.path).split(path.sep).join('/')
    for (const block of state.tokens) {
      for (const token of block.children ?? []) {
        if (token.type === 'link_open') token.attrSet('href', resolve(file, token.attrGet('href')))
      }
    }
  })
}
