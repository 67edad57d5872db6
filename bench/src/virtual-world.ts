import type { Headers, Ready } from './contender-process.ts'

/** The address and key of an account in a virtual world, and a function that advances its clock. */
export type VirtualWorld = Ready & { readonly advance: (by: string) => Promise<void> }

/** Calls `use` with a new virtual world and deletes it afterwards, so that each round starts with an empty world. */
export async function withWorld<Value>(
  server: Ready,
  use: (world: VirtualWorld) => Promise<Value>,
): Promise<Value> {
  const { world, headers } = await createWorld(server, { seed: 'bench', start: '2026-01-05T15:00:00Z' })
  const advance = async (by: string): Promise<void> => {
    await operate(server, 'POST', `/${world}/clock/advance`, { by })
  }
  try {
    return await use({ port: server.port, headers, advance })
  } finally {
    await operate(server, 'DELETE', `/${world}`)
  }
}

/** Creates a world; returns its name and the key of its account. */
export async function createWorld(
  server: Ready,
  settings: object,
): Promise<Ready & { readonly world: string }> {
  const { world, accounts } = JSON.parse(await operate(server, 'POST', '', settings)) as CreatedWorld
  const [{ key_id, secret_key }] = accounts
  const headers: Headers = { 'APCA-API-KEY-ID': key_id, 'APCA-API-SECRET-KEY': secret_key }
  return { port: server.port, headers, world }
}

type CreatedWorld = {
  readonly world: string
  readonly accounts: readonly [{ readonly key_id: string; readonly secret_key: string }]
}

/** A call of the operator on the worlds of a server; returns the body of the response. */
export async function operate(
  { port, operator }: Ready,
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/sim/v1/worlds${path}`, {
    method,
    headers: { ...operator, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${method} ${path}: received ${response.status}`)
  return response.text()
}

/** A second key for the account in `main`, so that its requests can be measured separately. */
export async function anotherKey(ready: Ready): Promise<Ready> {
  const { port, headers } = ready
  const response = await fetch(`http://127.0.0.1:${port}/v2/account`, { headers })
  const account = (await response.json()) as { readonly id: string }
  const created = await operate(ready, 'POST', '/main/keys', { account_id: account.id })
  const key = JSON.parse(created) as { readonly key_id: string; readonly secret_key: string }
  return { port, headers: { 'APCA-API-KEY-ID': key.key_id, 'APCA-API-SECRET-KEY': key.secret_key } }
}
