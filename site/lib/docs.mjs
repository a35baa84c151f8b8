// What the site knows of docs/: its files, its index, and where a link leads.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '../..')
export const docs = path.join(root, 'docs')

/** The address of the public repository, which the BOM has. */
const repository =
  'https://' + readFileSync(path.join(root, 'bom/pom.xml'), 'utf8').match(/<mortise\.home>([^<]+)</)[1]

/** All files of docs/, relative to it. */
export function files() {
  return readdirSync(docs, { recursive: true })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => statSync(path.join(docs, file)).isFile())
    .sort()
}

export function text(file) {
  return readFileSync(path.join(docs, file), 'utf8')
}

export function title(markdown) {
  return plain(markdown.match(/^# (.*)$/m)?.[1] ?? '')
}

export function plain(markdown) {
  return markdown.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '').trim()
}

/** The file of the site's page that a file of docs/ becomes. The list of all pages leaves `/` to the landing page. */
export function route(file) {
  return file === 'README.md' ? 'pages.md' : file.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** The anchor that the public forge makes of a heading, so that one link serves both. */
export function slug(heading) {
  return plain(heading).toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

/**
 * Where a link of a file of docs/ leads: to a page or a file of the site, from its root, or to the repository if it
 * leaves docs/. A link that leads nowhere is an error.
 */
export function resolve(file, href, toPage = route) {
  if (/^([a-z]+:|#)/i.test(href)) return href
  const [, pathname, anchor] = href.match(/^([^#]*)(.*)$/)
  const target = path.resolve(docs, path.dirname(file), decodeURI(pathname))
  if (!existsSync(target)) throw new Error(`docs/${file}: the link ${href} leads nowhere`)
  const inside = path.relative(docs, target).split(path.sep).join('/')
  if (inside.startsWith('..')) {
    const kind = statSync(target).isDirectory() ? 'tree' : 'blob'
    return `${repository}/${kind}/main/${path.relative(root, target).split(path.sep).join('/')}${anchor}`
  }
  return '/' + (inside.endsWith('.md') ? toPage(inside) : inside) + anchor
}

const link = /\[([^\]]+)\]\(([^)\s]+)\)/g

/** The sections of docs/README.md: each row's pages with their names, and what a reader does with them. */
export function index() {
  return text('README.md').split(/^## /m).slice(1).map((part) => ({
    title: part.split('\n')[0].trim(),
    rows: part.split('\n').filter((line) => /^\|.*\]\(/.test(line)).map((line) => {
      const [, pages, what] = line.split('|')
      return { what: plain(what), pages: [...pages.matchAll(link)].map(([, name, href]) => ({ name, href })) }
    }),
  }))
}

/** Every page that a reader finds from docs/README.md, also by the README.md of a folder. */
export function indexed() {
  const found = new Set(['README.md', 'index.md'])
  for (const list of ['README.md', ...files().filter((file) => file.endsWith('/README.md'))]) {
    if (!found.has(list)) continue
    for (const [, , href] of text(list).matchAll(link)) {
      if (/^[^#:]+\.md/.test(href)) found.add(path.posix.join(path.posix.dirname(list), href.replace(/#.*/, '')))
    }
  }
  return found
}
