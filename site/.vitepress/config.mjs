import { defineConfig } from 'vitepress'
import { docs, index, plain, resolve, route, slug, text, title } from '../lib/docs.mjs'
import { extras, javadoc } from '../lib/extras.mjs'
import { links } from '../lib/links.mjs'
import { pictures } from '../lib/pictures.mjs'

const base = process.env.SITE_BASE ?? '/' // such as /mortise/, with a slash at both ends

const parts = index()
const items = parts.map(({ title, rows }) => ({
  text: title,
  items: rows.flatMap(({ pages }) => pages.map(({ name, href }) => ({ text: name, link: page(href) }))),
}))
const what = new Map(parts.flatMap(({ rows }) =>
  rows.flatMap(({ what, pages }) => pages.map(({ href }) => [route(href), what]))))

function page(href) {
  return resolve('README.md', href).replace(/(^|\/)index\.md$/, '$1')
}

/** The landing page has a card for each section of docs/index.md: its heading and its first sentence. */
function landing() {
  const [head, ...tasks] = text('index.md').split(/^## /m)
  return {
    layout: 'home',
    hero: {
      name: title(head),
      tagline: plain(head.split(/\n\n/)[1]),
      actions: [
        { text: 'Get started', link: '/getting-started' },
        { text: 'All pages', link: '/pages', theme: 'alt' },
      ],
    },
    features: tasks.map((task) => {
      const [heading, first] = task.split(/\n\n?/)
      return { title: heading, details: plain(first), link: '#' + slug(heading) }
    }),
  }
}

export default defineConfig({
  base,
  srcDir: docs,
  title: 'Mortise',
  description: 'Distributed locks for Java on Redis, with the Jedis or Lettuce client you already have',
  rewrites: route,
  markdown: {
    anchor: { slugify: slug },
    config: (md) => {
      links(md)
      pictures(md)
    },
  },
  themeConfig: {
    nav: [
      { text: 'All pages', link: '/pages' },
      ...(javadoc().length > 0 ? [{ text: 'Javadoc', link: '/api/index.html', target: '_self' }] : []),
    ],
    sidebar: items,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { _render: (source, env, md) => (searched(env.relativePath) ? md.render(source, env) : '') },
    },
    footer: { message: '<a href="' + base + 'llms.txt">llms.txt</a> · Apache License 2.0' },
  },
  transformPageData(data) {
    data.description = what.get(data.filePath) ?? data.description
    if (data.filePath === 'index.md') Object.assign(data.frontmatter, landing())
  },
  transformHead({ pageData }) {
    const markdown = { rel: 'alternate', type: 'text/markdown', href: base + pageData.filePath }
    return pageData.filePath ? [['link', markdown]] : []
  },
  buildEnd: ({ outDir }) => extras(outDir),
  vite: { plugins: [{ name: 'vue-of-the-site', enforce: 'pre', resolveId: vueOfTheSite }] },
})

/** The pages are outside of this folder, so their imports of Vue are looked up from here. */
function vueOfTheSite(id, importer) {
  const ofPage = importer?.startsWith(docs) && /^vue(\/|$)/.test(id)
  return ofPage ? this.resolve(id, import.meta.filename, { skipSelf: true }) : null
}

/** Visitors search for what they do. Decisions and rows of figures would hide it. */
function searched(file) {
  return !file.startsWith('decisions/') && file !== 'performance/all.md'
}
