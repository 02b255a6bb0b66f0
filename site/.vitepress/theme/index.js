// The default theme with the fonts of the reader's system, so that nothing is loaded from anywhere else, our search, and a link to the
// reference of the API, which the service that serves this site has one folder above.
import { withBase } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { SEARCH_OPTIONS } from '../../search.ts'
import './style.css'

const linkToApi = () =>
  h('a', { class: 'api-reference', href: `${withBase('/')}../`, target: '_self' }, 'API reference')

export default {
  extends: theme,
  Layout: () => h(theme.Layout, null, { 'nav-bar-content-after': linkToApi }),
  enhanceApp: ({ siteData }) => {
    siteData.value.themeConfig.search.options.miniSearch = { searchOptions: SEARCH_OPTIONS }
  },
}
