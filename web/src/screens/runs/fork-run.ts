import { type Client, type OperationName, routes } from '@quipu/sdk'
import type { Run, RunFile, RunRequest } from '@quipu/sdk/runs'
import { pathValues } from '../../format/request-sentence.ts'
import { actingOperator, connect } from '../../session/connections.ts'
import { keepKeys } from '../../session/new-keys.ts'
import { worlds } from '../../session/selection.ts'

/** Each request is a call, and mostly a move of the clock. */
const REPEATED_MAX = 500

export type ForkedRun = {
  readonly world: string
  /** The world of the run was deleted, so another one got the orders of the run again. */
  readonly isRepeated: boolean
}

/** Opens a world at an instant of a run: a fork of its world, or else a new world in which its orders are sent again. */
export async function forkRun(file: RunFile, atMs: number): Promise<ForkedRun> {
  const { client } = actingOperator()
  const at = new Date(atMs).toISOString()
  const { run } = file
  const kept = worlds.peek()?.find(({ world, seed }) => world === run.world && seed === run.seed)
  if (kept) {
    const body = { at, title: `${run.program} at ${at.slice(0, 16).replace('T', ' ')} UTC` }
    const fork = await client.forkWorld({ params: { world: kept.world }, body })
    keepKeys(fork)
    return { world: fork.world, isRepeated: false }
  }
  return { world: await repeated(client, file, at), isRepeated: true }
}

async function repeated(client: Client, { run, parts }: RunFile, at: string): Promise<string> {
  const requests = parts.request.filter((request) => isRepeatable(request) && request.at <= at)
  if (requests.length > REPEATED_MAX)
    throw new Error(
      `the run changed its account ${requests.length} times until then, and at most ${REPEATED_MAX} requests are sent again`,
    )
  const made = await newWorld(client, run)
  const { world } = made
  const accountId = made.accounts[0]?.account_id
  if (accountId === undefined) throw new Error(`the world ${world} has no account`)
  keepKeys(made)
  const account = connect({ kind: 'account', world, accountId }).client
  const ids = new Map<string, string>()
  let now = made.now
  const advance = async (to: string): Promise<void> => {
    if (Date.parse(to) > Date.parse(now)) await client.advanceClock({ params: { world }, body: { to } })
    now = to
  }
  for (const request of requests) {
    await advance(request.at)
    const answer = await send(account, request, ids)
    const [before, after] = [idIn(request.answer), idIn(answer)]
    if (before !== undefined && after !== undefined) ids.set(before, after)
  }
  await advance(at)
  return world
}

/** Requests of the run itself that changed its account. */
const isRepeatable = ({ method, path, status = 0, drill }: RunRequest): boolean =>
  method !== 'GET' && path.startsWith('/v2/') && status >= 200 && status < 300 && drill === undefined

/** A world with the same market. That of a scenario has its market events too. */
const newWorld = (client: Client, { scenario, seed, from: start, hours, equity_at_start: equity }: Run) =>
  scenario === undefined
    ? client.createWorld({ body: { seed, start, hours, cash: equity.toFixed(2) } })
    : client.createScenarioWorld({ body: { name: scenario, seed } })

/** Sends a request again, with the ids of the new world in place of those of the run. */
function send(account: Client, request: RunRequest, ids: ReadonlyMap<string, string>): Promise<unknown> {
  const renamed = (text: string): string =>
    [...ids].reduce((rest, [before, after]) => rest.replaceAll(before, after), text)
  const { pathname, search } = new URL(renamed(request.path), 'http://run')
  const found = Object.entries(routes).find(
    ([, { method, path }]) => method === request.method && matches(path, pathname),
  )
  if (!found) throw new Error(`${request.method} ${pathname} cannot be sent again`)
  const [name, { path }] = found
  const call = {
    params: pathValues(path, pathname),
    query: Object.fromEntries(new URLSearchParams(search)),
    ...(request.body !== undefined && { body: JSON.parse(renamed(JSON.stringify(request.body))) }),
  }
  return account[name as OperationName](call as never)
}

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)

function idIn(answer: unknown): string | undefined {
  return typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string'
    ? answer.id
    : undefined
}
