// Test vectors of addresses: the URL of a request as it was sent, and `htu` of its proof (RFC 9449 §4.3, RFC 3986 §6.2).
import type { RefusalCode } from '../../packages/verify/src/refusals.ts'
import { boundTo, CALLED, proofOf, proofRow } from './vector-proofs.ts'
import type { Materials, TokenVector } from './vector.ts'

const { url: URL_CALLED, method } = CALLED
const HOST = 'https://orders.example'

/** None has a host with an invalid label after `xn--`: whether that is a URL depends on the release of the runtime. */
const ADDRESSES: readonly (readonly [url: string, htu: string, refusal: RefusalCode | null])[] = [
  [`${URL_CALLED}?page=2`, 'HTTPS://ORDERS.example:443/v1/./orders?a=b#c', null],
  [`${URL_CALLED}?q=a|"<\\`, URL_CALLED, null],
  [`${URL_CALLED}#a`, URL_CALLED, null],
  [`${URL_CALLED}/%7E`, `${URL_CALLED}/~`, null],
  [`${URL_CALLED}/~`, `${URL_CALLED}/%7e`, null],
  [`${URL_CALLED}/%c3%a9`, `${URL_CALLED}/%C3%A9`, null],
  [`${URL_CALLED}/%61`, `${URL_CALLED}/a`, null],
  [`${URL_CALLED}/a|b`, `${URL_CALLED}/a|b`, null],
  [HOST, `${HOST}/`, null],
  [`${HOST}:8443/v1`, `${HOST}:8443/v1`, null],
  [`${HOST}:/v1`, `${HOST}/v1`, null],
  [`${HOST}/v1`, `${HOST}:/v1`, null],
  [`${HOST}/v1`, `${HOST}:0443/v1`, null],
  [`${HOST}:65535/v1`, `${HOST}:065535/v1`, null],
  [`${HOST}:65536/v1`, `${HOST}:65536/v1`, 'bad_proof'],
  ['https://[::1]/v1', 'https://[0:0:0:0:0:0:0:1]/v1', null],
  ['http://127.0.0.1/v1', 'http://127.1/v1', null],
  ['http://127.0.0.1/v1', 'http://0x7f.1/v1', null],
  ['http://127.0.0.1/v1', 'http://0177.0.0.1/v1', null],
  ['http://127.1/v1', 'http://127.1/v1', null],
  ['http://127.0.0.256/v1', 'http://127.0.0.256/v1', 'bad_proof'],
  [`${HOST}/v1`, 'https://orders%2Eexample/v1', null],
  [`${HOST}/v1`, 'https://orders.example./v1', 'bad_proof'],
  ['https://orders|example/v1', 'https://orders|example/v1', 'bad_proof'],
  ['https://xn--bcher-kva.example/v1', 'https://XN--BCHER-KVA.example/v1', null],
  ['http://orders.example:80/v1', 'http://orders.example/v1', null],
  ['http://orders.example/v1', `${HOST}/v1`, 'bad_proof'],
  [`${HOST}:8443/v1`, `${HOST}/v1`, 'bad_proof'],
  [URL_CALLED, `${URL_CALLED}/`, 'bad_proof'],
  [URL_CALLED, URL_CALLED.toUpperCase(), 'bad_proof'],
  [URL_CALLED, '/v1/orders', 'bad_proof'],
  [URL_CALLED, URL_CALLED.replace('//', '//user@'), 'bad_proof'],
  [URL_CALLED, ` ${URL_CALLED}`, 'bad_proof'],
  [URL_CALLED, `${URL_CALLED}\n`, 'bad_proof'],
  [URL_CALLED, URL_CALLED.replace('https://', 'https:///'), 'bad_proof'],
  [URL_CALLED, URL_CALLED.replaceAll('/', '\\'), 'bad_proof'],
  [`${URL_CALLED}/%2F`, `${URL_CALLED}//`, 'bad_proof'],
  [`${URL_CALLED}/%E9`, `${URL_CALLED}/\u00e9`, 'bad_proof'],
  [`${URL_CALLED}/100%`, `${URL_CALLED}/100%`, null],
  [`${URL_CALLED}/100%`, `${URL_CALLED}/100%25`, 'bad_proof'],
  [URL_CALLED, `${HOST}/admin/%2E%2E/v1/orders`, null],
  [`${HOST}/admin/../v1/orders`, URL_CALLED, 'bad_proof'],
  [`${HOST}/admin/%2E%2e/v1/orders`, URL_CALLED, 'bad_proof'],
  [`${URL_CALLED}/.`, `${URL_CALLED}/`, 'bad_proof'],
  [`${HOST}/admin\\..\\v1/orders`, URL_CALLED, 'bad_proof'],
  [`${HOST}/v1/or\tders`, URL_CALLED, 'bad_proof'],
  ['', '', 'bad_proof'],
]

export const addressRows = ({ genuine, holders: { ES256: holder } }: Materials): readonly TokenVector[] => {
  const token = boundTo(genuine, holder.jkt)
  return ADDRESSES.map(([url, htu, refusal]) =>
    proofRow(
      `htu ${JSON.stringify(htu)}, URL ${JSON.stringify(url)}`,
      token,
      { method, url, proof: proofOf(holder, token, { claims: { htu } }) },
      refusal,
    ),
  )
}
