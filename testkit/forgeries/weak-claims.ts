// Weaknesses in the claims of a JWT: members twice, another issuer, audience, time or subject.
import { each, type Forgeries, resigned, respelled, show } from './forgeries.ts'

const claim = (name: string, value: unknown): Forgeries => ({
  [`${name} twice, the genuine one last`]: genuine =>
    respelled(genuine, { claims: json => json.replace('{', `{"${name}":${JSON.stringify(value)},`) }),
  [`${name} twice, the genuine one first`]: genuine =>
    respelled(genuine, { claims: json => json.replace(/}$/, `,"${name}":${JSON.stringify(value)}}`) }),
})

const duplicateClaims: Forgeries = {
  ...claim('iss', 'https://other.example'),
  ...claim('sub', 'somebody'),
  ...claim('aud', 'https://other.example'),
  ...claim('exp', 9_999_999_999),
  'sub twice, once escaped': genuine =>
    respelled(genuine, { claims: json => json.replace(/}$/, String.raw`,"\u0073ub":"somebody"}`) }),
  'sub twice, once with a space before its colon': genuine =>
    respelled(genuine, { claims: json => json.replace(/}$/, ',"sub" :"somebody"}') }),
  'a member twice in an object inside': genuine =>
    respelled(genuine, { claims: json => json.replace(/}$/, ',"act":{"sub":"a","sub":"b"}}') }),
}

const changedClaims = (name: string, values: readonly unknown[]): Forgeries =>
  each(
    values,
    value => `${name} ${show(value)}`,
    value => genuine => resigned(genuine, { claims: { [name]: value } }),
  )

const wrongClaims: Forgeries = {
  ...changedClaims('iss', ['https://other.example', '', null, 1, [], {}, undefined]),
  'iss in an array': genuine => resigned(genuine, { claims: { iss: [genuine.claims['iss']] } }),
  'iss with a slash after it': genuine => resigned(genuine, { claims: { iss: `${String(genuine.claims['iss'])}/` } }),
  'iss in capital letters': genuine =>
    resigned(genuine, { claims: { iss: String(genuine.claims['iss']).toUpperCase() } }),
  'iss that would hand out its keys': genuine => resigned(genuine, { claims: { iss: genuine.trap } }),
  ...changedClaims('aud', ['https://other.example', '', null, 1, [], {}, ['https://other.example'], '*', undefined]),
  'aud with a slash after it': genuine =>
    resigned(genuine, { claims: { aud: `${String([genuine.claims['aud']].flat()[0])}/` } }),
  'aud in an array in an array': genuine => resigned(genuine, { claims: { aud: [[genuine.claims['aud']]] } }),
  'aud as a member': genuine =>
    resigned(genuine, { claims: { aud: { [String([genuine.claims['aud']].flat()[0])]: true } } }),
  ...changedClaims('exp', [1, 0, -1, '9999999999', null, [9_999_999_999], {}, undefined]),
  ...changedClaims('nbf', [9_999_999_999, '0', {}]),
  ...changedClaims('sub', ['', null, 1, ['somebody'], {}, undefined]),
}

export const CLAIM_WEAKNESSES: Forgeries = { ...duplicateClaims, ...wrongClaims }
