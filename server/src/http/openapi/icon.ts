// The icon of the service's pages, in the two forms that browsers ask for.

const MARK =
  '<rect width="32" height="32" rx="7" fill="#0b7a5c"/>' +
  '<path d="M6 24V8h4l6 8 6-8h4v16h-4V14.5l-6 8-6-8V24z" fill="#fff"/>'

export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Mintmark</title>${MARK}</svg>`

/** The icon with the name beside it, on the dark bar of the documentation page. */
export const LOGO_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="150" height="32" viewBox="0 0 150 32">' +
  `<title>Mintmark</title>${MARK}` +
  '<text x="42" y="23" font-family="sans-serif" font-size="20" font-weight="bold" fill="#fff">Mintmark</text></svg>'

/** The icon as one PNG of 32 by 32 in 12 colors, in the container that /favicon.ico stands for. */
export const ICON_ICO = Buffer.from(
  'AAABAAEAICAAAAEAIAAhAQAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAQDAAAAgVRnxwAAACRQTFRFC3pcC3pcC3pcC3pcC3pcLo1z' +
    'UaCLdLOilsa5udnQ3Ozo/////LLulwAAAAx0Uk5TAECAwP//////////M30LdQAAAKBJREFUeNqF0i0OwlAQBOAl4QAIbgAnIByAnyl/ugosDovD' +
    '1tXisEVVA6VzOXimmX2PhFGbT6zYWTMbocvEvhlCMjfrwWVgfQ8zG3tY2NTD0hDlJ5DnMK7JDh4BDgJtgFqABbChwgu4OGCeUaFmtWMrcGJT' +
    '8ikQFrIQwI18Q2FP3h2syKMDlA08bK8RZHkEgMCfiyVHTmpIikqqTMqO3+EDJAiyG5/kB/8AAAAASUVORK5CYII=',
  'base64',
)
