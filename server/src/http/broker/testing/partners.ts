import assert from 'node:assert/strict'
import type { PartnerId } from '@quipu/core'
import { execute, issueKey, type KeyPair } from '../../../access/issue-keys.ts'
import { type Called, call, openTestServer, type TestServer } from '../../testing/server.ts'

/** A server with two partners, and what they ask of it. */
export type PartnerStage = {
  readonly server: TestServer
  readonly key: KeyPair
  readonly otherPartner: KeyPair
  ask(route: string, body?: unknown, as?: KeyPair, headers?: Record<string, string>): Promise<Called>
  /** Opens an account of the first partner. */
  opened(body?: object): Promise<string>
  /** What an account sees of itself, by a new key. */
  seen(id: string): Promise<Seen>
}

export type Seen = {
  readonly cash: string
  readonly status: string
  readonly positions: readonly string[]
  readonly key: KeyPair
}

export async function openPartnerStage(
  setup: Parameters<typeof openTestServer>[0] = {},
): Promise<PartnerStage> {
  const server = await openTestServer(setup)
  const key = server.partnerKey
  const { partnerId } = await execute(server.world, { kind: 'addPartner', name: 'another' }, 'partnerAdded')
  const owner = { kind: 'partner', partnerId: partnerId as PartnerId, operator: false } as const
  const ask: PartnerStage['ask'] = (route, body, as = key, headers = {}) =>
    call(server, route, { key: as, body, headers })
  return {
    server,
    key,
    otherPartner: await issueKey(server.world, owner),
    ask,
    async opened(body = {}) {
      const { status, body: account } = await ask('POST /v1/accounts', body)
      assert.equal(status, 200)
      return account.id
    },
    seen: (id) => seenOf(ask, id),
  }
}

async function seenOf(ask: PartnerStage['ask'], id: string): Promise<Seen> {
  const { body } = await ask(`POST /v1/accounts/${id}/keys`)
  const key = { keyId: body.key_id, secretKey: body.secret_key }
  const account = (await ask('GET /v2/account', undefined, key)).body
  const positions = (await ask('GET /v2/positions', undefined, key)).body
  return {
    cash: account.cash,
    status: account.status,
    positions: positions.map(
      (one: Record<string, string>) => `${one['symbol']} ${one['qty']} ${one['cost_basis']}`,
    ),
    key,
  }
}
