// The frame of the service's own pages: their style, and the headers that let them load nothing but their icon.

// The one style is inline; a page runs no script.
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const PAGE_HEADERS = { 'content-security-policy': PAGE_POLICY, 'x-content-type-options': 'nosniff' } as const

/** A URL in its normal form holds no quotation mark and no angle bracket. */
export const escapeUrl = (url: string): string => url.replaceAll('&', '&amp;')

/** For text between tags. */
export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

type Page = { readonly title: string; readonly basePath: string; readonly content: string }

/** `title` and `content` are HTML. */
export const writePage = ({ title, basePath, content }: Page): string => `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${escapeUrl(basePath)}/favicon.svg">
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color:#222}
h1 img{vertical-align:-6px}a{color:#0b7a5c}li{margin:.3rem 0}code{color:#555}h2{margin-top:2.5rem}h2 a{text-decoration:none}
:target{outline:2px solid #0b7a5c;outline-offset:.5rem}</style>
<main>
${content}
</main>
</html>
`
