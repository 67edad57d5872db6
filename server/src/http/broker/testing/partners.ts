import assert from 'node:assert/strict'
import { execute, issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import type { PartnerId } from '@quipu/core'
import { type Called, call, openTestServer, type TestServer } from '../../testing/server.ts'

/** A server with two partners, and functions that call the API with their keys. */
export type PartnerStage = {
  readonly server: TestServer
  readonly key: KeyPair
  readonly otherPartner: KeyPair
  send(route: string, body?: unknown, as?: KeyPair, headers?: Record<string, string>): Promise<Called>
  /** Opens an account of the first partner. */
  openAccount(body?: object): Promise<string>
  /** Reads an account through the trading API, with a new key of the account. */
  accountState(id: string): Promise<AccountState>
}

export type AccountState = {
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
  const send: PartnerStage['send'] = (route, body, as = key, headers = {}) =>
    call(server, route, { key: as, body, headers })
  return {
    server,
    key,
    otherPartner: await issueKey(server.world, owner),
    send,
    async openAccount(body = {}) {
      const { status, body: account } = await send('POST /v1/accounts', body)
      assert.equal(status, 200)
      return account.id
    },
    accountState: (id) => readAccountState(send, id),
  }
}

async function readAccountState(send: PartnerStage['send'], id: string): Promise<AccountState> {
  const { body } = await send(`POST /v1/accounts/${id}/keys`)
  const key = { keyId: body.key_id, secretKey: body.secret_key }
  const account = (await send('GET /v2/account', undefined, key)).body
  const positions = (await send('GET /v2/positions', undefined, key)).body
  return {
    cash: account.cash,
    status: account.status,
    positions: positions.map(
      (one: Record<string, string>) => `${one['symbol']} ${one['qty']} ${one['cost_basis']}`,
    ),
    key,
  }
}
