// Fails if a link of the built site leads nowhere, or if a page of docs/ is missing in docs/README.md.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { files, indexed, route } from './docs.mjs'

const dist = path.resolve(import.meta.dirname, '../.vitepress/dist')
const base = process.env.SITE_BASE ?? '/'
const broken = []
const anchors = new Map()
let links = 0

function read(file) {
  return readFileSync(path.join(dist, file), 'utf8')
}

function anchorsOf(file) {
  if (!anchors.has(file)) {
    anchors.set(file, new Set([...read(file).matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id]) => unescape(id))))
  }
  return anchors.get(file)
}

function unescape(html) {
  return html.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** The file that a link of a file leads to, from the root of the site. */
function target(from, pathname) {
  if (pathname === '') return from
  if (!pathname.startsWith('/')) return path.posix.join(path.posix.dirname(from), pathname)
  return pathname.startsWith(base) ? pathname.slice(base.length) : undefined
}

function check(from, href) {
  if (/^([a-z]+:|\/\/)/i.test(href)) return
  links++
  const [, pathname, anchor] = href.match(/^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/)
  let to = target(from, decodeURI(pathname))
  if (to !== undefined && (to === '' || to.endsWith('/'))) to += 'index.html'
  if (to === undefined || !existsSync(path.join(dist, to)) || !statSync(path.join(dist, to)).isFile()) {
    broken.push(`${from} -> ${href}`)
  } else if (anchor && to.endsWith('.html') && !anchorsOf(to).has(decodeURI(anchor))) {
    broken.push(`${from} -> ${href}: no such anchor`)
  }
}

const built = readdirSync(dist, { recursive: true }).map((file) => file.split(path.sep).join('/'))
const pages = built.filter((file) => file.endsWith('.html') && !file.startsWith('api/') && file !== '404.html')
for (const page of pages) {
  for (const [, href] of read(page).matchAll(/\s(?:href|src)="([^"]*)"/g)) check(page, unescape(href))
}
for (const file of ['llms.txt', ...built.filter((file) => file.endsWith('.md'))]) {
  const prose = read(file).replace(/^ *```.*?^ *```/gms, '').replace(/`[^`\n]*`/g, '')
  for (const [, href] of prose.matchAll(/\]\(([^)\s]+)\)/g)) check(file, href.replace(/(\.md)#.*/, '$1'))
}
for (const file of files().filter((file) => file.endsWith('.md'))) {
  if (!indexed().has(file)) broken.push(`docs/${file} is not in docs/README.md, or in the README.md of its folder`)
  if (!pages.includes(route(file).replace(/\.md$/, '.html'))) broken.push(`docs/${file} is no page of the site`)
}

if (broken.length > 0) {
  console.error(`${broken.length} faults of the site:\n${broken.join('\n')}`)
  process.exit(1)
}
console.log(`${pages.length} pages, ${links} links within the site, all of them lead somewhere`)
