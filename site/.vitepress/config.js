// VitePress, for site/build.ts, which writes what it finds in dist/: the pages and their contents.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { headingIdOf } from '../../testkit/sources/markdown.ts'

const SITE = process.env.SITE_FOLDER
const { base, version, sidebar, unlisted } = JSON.parse(readFileSync(join(SITE, 'dist', 'contents.json'), 'utf8'))

const EARLY = 'early.js'
const early = new Set()

const escape = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export default {
  base,
  lang: 'en',
  title: 'Mintmark',
  description: 'A token service for software agents.',
  srcDir: 'dist/pages',
  outDir: '../server/guide',
  cacheDir: 'dist/cache',
  // One page after another: the index of the search has them in the order in which they were read.
  buildConcurrency: 1,
  head: [['link', { rel: 'icon', href: `${base}mark.svg`, type: 'image/svg+xml' }]],
  // No script within a page, and no style: a policy that takes neither is kept.
  metaChunk: true,
  transformHtml: code =>
    code.replaceAll(/<script id="check-[\w-]+">([^]*?)<\/script>/g, (_element, script) => {
      const isFirst = early.size === 0 || early.values().next().value === script
      early.add(script)
      return isFirst ? `<script src="${base}${EARLY}"></script>` : ''
    }),
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, EARLY), [...early].join('\n')),
  router: { prefetchLinks: false },
  markdown: {
    html: false,
    linkify: false,
    anchor: { slugify: headingIdOf },
    highlight: code => `<pre v-pre tabindex="0"><code>${escape(code)}</code></pre>`,
  },
  themeConfig: {
    siteTitle: `Mintmark ${version}`,
    logo: '/mark.svg',
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env)
          return unlisted.some(folder => env.relativePath.startsWith(folder)) ? '' : html
        },
      },
    },
  },
}
