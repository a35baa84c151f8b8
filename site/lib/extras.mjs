// What is beside the pages: each page as Markdown, the files of docs/, llms.txt, and the Javadoc.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { docs, files, index, resolve, root, text, title } from './docs.mjs'

/** The modules whose Javadoc a build with Maven has left: name and folder. */
export function javadoc() {
  return ['.', 'integrations'].flatMap((parent) => readdirSync(path.join(root, parent))
    .map((name) => [name, path.join(root, parent, name, 'target/reports/apidocs')]))
    .filter(([, folder]) => existsSync(path.join(folder, 'index.html')))
}

/** Writes docs/ as it is below `to`. Only links that leave docs/ lead to the repository. */
function copyDocs(to) {
  for (const file of files()) {
    const target = path.join(to, file)
    mkdirSync(path.dirname(target), { recursive: true })
    if (!file.endsWith('.md')) {
      cpSync(path.join(docs, file), target)
      continue
    }
    writeFileSync(target, text(file).replace(/\]\(((?:\.\.\/)+[^)\s]+)\)/g, (same, href) => {
      const leads = resolve(file, href)
      return leads.startsWith('/') ? same : `](${leads})`
    }))
  }
}

function llms() {
  const home = text('index.md')
  const parts = index().map(({ title: part, rows }) => `## ${part}\n` + rows.flatMap(({ what, pages }) =>
    pages.map(({ name, href }) => `- [${name}](${markdown(href)}): ${what}`)).join('\n'))
  return `# ${title(home)}\n\n> ${home.split(/\n\n/)[1].replaceAll('\n', ' ')}\n\n${parts.join('\n\n')}\n`
}

/** A link of docs/README.md to the Markdown of a page. It is relative, so it works below every base. */
function markdown(href) {
  return resolve('README.md', href, (file) => file).replace(/^\//, '')
}

function copyJavadoc(to) {
  const modules = javadoc()
  if (modules.length === 0) {
    console.log('SKIPPED: no Javadoc was built, so the site has none. "mvn verify" on JDK 21 or later builds it.')
    return
  }
  for (const [name, folder] of modules) cpSync(folder, path.join(to, 'api', name), { recursive: true })
  const list = modules.map(([name]) => `<li><a href="${name}/index.html">${name}</a></li>`).join('\n')
  writeFileSync(path.join(to, 'api/index.html'), `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Javadoc of Mortise</title>
<h1>Javadoc of Mortise</h1><ul>\n${list}\n</ul><p><a href="../index.html">Documentation</a></p></html>\n`)
}

export function extras(to) {
  copyDocs(to)
  writeFileSync(path.join(to, 'llms.txt'), llms())
  copyJavadoc(to)
}
