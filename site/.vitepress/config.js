// VitePress, for site/build.ts, which writes what it finds in dist/: the pages and their contents.
import { deepEqual } from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { headingIdOf } from '../../testkit/sources/markdown.ts'
import { BUNDLED } from '../bundled.ts'

const SITE = process.env.SITE_FOLDER
const { base, version, sidebar, unlisted } = JSON.parse(readFileSync(join(SITE, 'dist', 'contents.json'), 'utf8'))

const EARLY = 'early.js'
const early = new Set()

const escape = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const bundled = new Set()
const packageOf = id => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]

/** Notes the packages of which the bundle has code. */
const noteBundled = {
  name: 'note-bundled',
  generateBundle: (_options, bundle) => {
    for (const { modules = {} } of Object.values(bundle))
      for (const [id, { renderedLength }] of Object.entries(modules))
        if (renderedLength > 0 && packageOf(id) !== undefined) bundled.add(packageOf(id))
  },
}

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
  vite: { plugins: [noteBundled] },
  buildEnd: ({ outDir }) => {
    writeFileSync(join(outDir, EARLY), [...early].join('\n'))
    deepEqual(bundled, new Set(BUNDLED), 'site/bundled.ts does not list what the guide bundles.')
  },
  router: { prefetchLinks: false },
  markdown: {
    html: false,
    linkify: false,
    image: { lazyLoading: true },
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
