import type { Headers, Ready } from './contender-process.ts'

/** A virtual world of a process, as its account sees it, and what moves its clock. */
export type VirtualWorld = Ready & { readonly advance: (by: string) => Promise<void> }

/** A virtual world of this process for as long as it is used, so that each round begins with an empty one. */
export async function withWorld<Value>(
  of: Ready,
  use: (world: VirtualWorld) => Promise<Value>,
): Promise<Value> {
  const answer = await ask(of, 'POST', '', { seed: 'bench', start: '2026-01-05T15:00:00Z' })
  const { world, accounts } = (await answer.json()) as Made
  const [{ key_id, secret_key }] = accounts
  const headers: Headers = { 'APCA-API-KEY-ID': key_id, 'APCA-API-SECRET-KEY': secret_key }
  const advance = async (by: string): Promise<void> => {
    const moved = await ask(of, 'POST', `/${world}/clock/advance`, { by })
    await moved.text()
  }
  try {
    return await use({ port: of.port, headers, advance })
  } finally {
    await ask(of, 'DELETE', `/${world}`)
  }
}

type Made = {
  readonly world: string
  readonly accounts: readonly [{ readonly key_id: string; readonly secret_key: string }]
}

async function ask(
  { port, operator }: Ready,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}/sim/v1/worlds${path}`, {
    method,
    headers: { ...operator, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: received ${answer.status}`)
  return answer
}
