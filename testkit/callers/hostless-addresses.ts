// Addresses of http and https without a host, in characters that every parameter takes.
export const HOSTLESS = [
  'http://',
  'https:///',
  'https:///api.example',
  'https:api.example',
  'https:/api.example',
  'https://:443/a',
  'https://user@/a',
  'https://?a',
  'HTTPS://[]/',
] as const
