import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Admission } from '@quipu/broker/cluster/admission.ts'
import type { WorldId } from '@quipu/core'
import type { Services } from '../services.ts'
import { call, openTestServer } from '../testing/server.ts'

/** How often the next request still finds its world on this node. */
let heldLooks = Number.POSITIVE_INFINITY
const cluster = {
  name: 'a',
  secret: 'any',
  admission: new Admission(),
  view: { byCode: { lookUp: () => undefined, worldOf: () => 'lab' as WorldId } },
  locations: { isHere: () => heldLooks-- > 0 },
}
const server = await openTestServer({
  failedAttempts: { failedAttemptsMax: 2 },
  services: { cluster } as unknown as Partial<Services>,
})
after(() => server.close())
const wrong = { keyId: 'PKNOTHING00000000000', secretKey: 'wrong' }
const statusOf = async (key = wrong): Promise<number> =>
  (await call(server, 'GET /v2/account', { key })).status

test('a node that loses a world during a request refuses no credential of it, and counts none as wrong', async () => {
  assert.equal(await statusOf(server.key), 200)
  for (let request = 0; request < 5; request++) {
    heldLooks = 1
    assert.equal(await statusOf(), 503)
  }
  heldLooks = Number.POSITIVE_INFINITY
  assert.deepEqual([await statusOf(), await statusOf(), await statusOf()], [401, 401, 429])
  heldLooks = 1
  assert.equal(await statusOf(), 503)
})
