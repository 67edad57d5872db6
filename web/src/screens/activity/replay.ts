import {
  ApiError,
  type Client,
  type JournalEvent,
  type LoggedRequest,
  type OperationName,
  routes,
} from '@quipu/sdk'
import { pathValues } from '../../format/request-sentence.ts'
import { actingOperator, type Connection, connect, operator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import type { RequestState } from './request-state.ts'

/** A request and what it caused. */
export type Outcome = {
  readonly status: number | null
  readonly reason: string | undefined
  readonly ms: number | undefined
  readonly events: readonly JournalEvent[]
  /** The body of the response; the log does not keep the one of the first request. */
  readonly body: unknown
}

/** A request that was sent again in a fork from before it. */
export type Replayed = { readonly fork: string; readonly first: Outcome; readonly again: Outcome }

const REMOVED = /\(removed\)|\(\d+ bytes\)/

/** Why a request cannot be replayed; undefined if it can. */
export function whyNotReplayed(request: LoggedRequest): string | undefined {
  const { operation, path, body = '', query = '', account_id: account } = request
  const route = routes[operation as OperationName]
  if (!route) return 'No operation has this path.'
  const isOfWorld = path.startsWith(`/sim/v1/worlds/${worldName.value}/`)
  if (!isOfWorld && (account === undefined || path.startsWith('/v1/')))
    return 'Only requests of an account, and requests that name this world, can be replayed.'
  if (request.reason === 'bodyNotJson' || request.reason === 'bodyTooLarge')
    return 'The log does not have the body: it was not JSON, or it was too large.'
  if (REMOVED.test(body + query) || body.endsWith('…') || query.endsWith('…'))
    return 'The log does not have the whole request: it removes secrets and shortens long texts.'
  return undefined
}

/**
 * Forks the world before the request, and sends the request there with the rights of the viewer. Keys are not copied, and
 * nothing is sent to the world itself.
 */
export async function replay(state: RequestState & { readonly request: LoggedRequest }): Promise<Replayed> {
  const world = worldName.peek()
  const { request, events } = state
  const at = await instantBefore(state)
  const { client } = actingOperator()
  const body = { temporary: true, ...(at !== undefined && { at }) }
  const { world: fork } = await client.forkWorld({ params: { world }, body: body as never })
  if (fork === world) throw new Error(`expected another world than ${world}`)
  const own = events.filter((event) => event.request_id === state.id)
  const { status, reason, ms } = request
  return {
    fork,
    first: { status, reason: reason ?? undefined, ms, events: own, body: refusalBody(state) },
    again: await sendTo(fork, request),
  }
}

/** The last instant before the request: before its first event, or the later one of its refusal and of what it read. */
async function instantBefore({
  id,
  request,
  events,
  explanation,
}: RequestState): Promise<string | undefined> {
  const first = events.find((event) => event.request_id === id)
  if (first) return textOfNanos(nanosOf(first.at) - 1n)
  const asked = explanation?.steps.find(({ code }) => code.startsWith('asked'))?.at
  const read = request?.seq === undefined ? undefined : await timeOfEvent(request.seq)
  // A refusal has the time that its event would have had.
  const known = [...(asked ? [nanosOf(asked) - 1n] : []), ...(read ? [nanosOf(read)] : [])]
  return known.length === 0 ? undefined : textOfNanos(known.reduce((a, b) => (a > b ? a : b)))
}

async function timeOfEvent(number: number): Promise<string | undefined> {
  const call = { params: { world: worldName.peek() }, query: { cursor: `${number - 1}`, limit: 1 } }
  return (await operator().client.listEvents(call as never)).events[0]?.at
}

/** An instant in nanoseconds: two events of a world never have the same. */
function nanosOf(at: string): bigint {
  const [, second = '', fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(at) ?? []
  return BigInt(Date.parse(`${second}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

function textOfNanos(nanos: bigint): string {
  const whole = new Date(Number(nanos / 1_000_000_000n) * 1000).toISOString().slice(0, 19)
  return `${whole}.${String(nanos % 1_000_000_000n).padStart(9, '0')}Z`
}

/** The log keeps no bodies of responses; an explanation has the fields of a refusal. */
function refusalBody({ explanation }: RequestState): unknown {
  if (explanation?.outcome !== 'refused') return undefined
  const last = explanation.steps.at(-1)
  if (!last) return undefined
  const { status: _, code: number, message, ...rest } = last.numbers
  return { code: Number(number), message, reason: last.code, ...rest }
}

async function sendTo(fork: string, request: LoggedRequest): Promise<Outcome> {
  const name = request.operation as OperationName
  const { body, status, ms } = await send(connectionFor(fork, request).client, fork, request)
  const [logged] = await lastRequest(fork, name)
  const details = logged && (await operator().client.getRequest(detailsOf(fork, logged)))
  return { status, body, ms: logged?.ms ?? ms, reason: logged?.reason, events: details?.events ?? [] }
}

const detailsOf = (world: string, { request_id }: LoggedRequest) => ({ params: { world, request_id } })

const lastRequest = async (world: string, operation: string): Promise<readonly LoggedRequest[]> => {
  const query = { last: 1000, limit: 1000, operation }
  return (await operator().client.listRequests({ params: { world }, query } as never)).requests.slice(-1)
}

/** The account of the fork, or the operator for requests about the world. */
function connectionFor(world: string, { path, account_id: accountId }: LoggedRequest): Connection {
  const isOfWorld = path.startsWith('/sim/v1/')
  return isOfWorld || accountId === undefined
    ? actingOperator()
    : connect({ kind: 'account', world, accountId })
}

type Sent = { readonly status: number; readonly body: unknown; readonly ms: number }

async function send(client: Client, world: string, request: LoggedRequest): Promise<Sent> {
  const name = request.operation as OperationName
  const { path } = routes[name]
  const values = pathValues(path, request.path)
  const parts = {
    params: 'world' in values ? { ...values, world } : values,
    query: Object.fromEntries(new URLSearchParams(request.query ?? '')),
    ...(request.body !== undefined && { body: JSON.parse(request.body) }),
  }
  const startedMs = performance.now()
  const done = (status: number, body: unknown): Sent => ({ status, body, ms: performance.now() - startedMs })
  try {
    return done(
      request.status !== null && request.status < 300 ? request.status : 200,
      await client[name](parts as never),
    )
  } catch (error) {
    if (error instanceof ApiError) return done(error.status, error.body)
    throw error
  }
}
