// docs/run/from-*.md: each transcript is what its commands print, but for ids, times and widths.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { followGuides } from '../../../../testkit/commands/migration-guides.ts'
import { shapeOf, transcriptsOf } from '../../../../testkit/commands/operator-stories.ts'
import { NO_CURL } from '../../../../testkit/processes/find-program.ts'
import { readText } from '../../../../testkit/sources/source-files.ts'

const GUIDES = ['hydra', 'keycloak', 'auth0'].map(name => readText(`docs/run/from-${name}.md`))

test('the transcripts of the guides from Hydra, Keycloak and Auth0 are what their commands print', {
  skip: NO_CURL,
}, async () => {
  const followed = await followGuides({ after }, GUIDES)
  for (const [n, page] of GUIDES.entries()) {
    const shown = transcriptsOf(page)
    assert.ok(shown.length > 1)
    // Each ends with a token that the agent got with the client id and the secret that it had before.
    assert.match(shown.at(-1) ?? '', /^\{"access_token":"…","token_type":"Bearer"/m)
    assert.deepEqual(followed[n]?.map(shapeOf), shown.map(shapeOf))
  }
})
