import assert from 'node:assert/strict'
import {
  type ErrorRow,
  errors,
  type Operation,
  type OperationName,
  operations,
  type Who,
} from '@quipu/contract'
import type { Random } from '../support/random.ts'
import { disturbing, type HostileRequest, hostileRequest, names } from './inputs.ts'
import type { Pipeline } from './pipeline.ts'
import type { HostileResponse } from './send.ts'
import type { Key, Setup } from './setup.ts'

/** Operations with fields are picked ten times as often as operations without. */
const weightedNames = names.flatMap((name) => {
  const { params, query, headers, body }: Operation = operations[name]
  return Array<OperationName>(params || query || headers || body ? 10 : 1).fill(name)
})

const unknownKey = { keyId: 'PKNOBODY', secretKey: 'nothing' }

type Caller = { readonly key: Pick<Key, 'keyId' | 'secretKey'>; readonly isOperator: boolean }

/** Mostly a caller that may call the operation; otherwise any caller but the operator, who may do everything. */
function callerFor(setup: Setup, who: readonly Who[], random: Random): Caller {
  const draw = random.next()
  if (draw < 0.05) return { key: unknownKey, isOperator: false }
  if (draw < 0.25) return { key: random.pick([setup.attacker, setup.partner]), isOperator: false }
  if (who.includes('operator')) return { key: setup.operator, isOperator: true }
  return { key: who.includes('partner') ? setup.partner : setup.attacker, isOperator: false }
}

/** Real ids for a request: the operator uses only ids of the attacker, other callers also ids of victims. */
function knownTo({ key, isOperator }: Caller, setup: Setup, name: OperationName, random: Random) {
  if (isOperator) return disturbing.has(name) ? {} : setup.attackerFields
  const own =
    key === setup.partner ? { ...setup.attackerFields, ...setup.partnerFields } : setup.attackerFields
  return random.chance(0.5) ? own : { ...own, ...random.pick(setup.victims).known }
}

/** The server may close the connection at a body above this limit instead of reading it. */
const BODY_MAX = 1024 * 1024
const BATCH = 12

type FuzzRequest = { readonly name: OperationName; readonly caller: Caller; readonly hostile: HostileRequest }

function randomRequest(setup: Setup, random: Random): FuzzRequest {
  const name = random.pick(weightedNames)
  const caller = callerFor(setup, operations[name].who, random)
  const hostile = hostileRequest(name, random, knownTo(caller, setup, name, random))
  const { keyId, secretKey } = caller.key
  const headers = { ...hostile.headers, 'apca-api-key-id': keyId, 'apca-api-secret-key': secretKey }
  // A DELETE of the operator on the path of another operation could delete the world of the test.
  const isDangerous = caller.isOperator && hostile.method === 'DELETE'
  const method = isDangerous ? operations[name].method : hostile.method
  return { name, caller, hostile: { ...hostile, method, headers } }
}

/** Sends hostile requests in one packet, checks their responses, and returns the statuses. */
export async function fuzzRequests(
  setup: Setup,
  pipeline: Pipeline,
  random: Random,
): Promise<readonly number[]> {
  const requests = Array.from({ length: BATCH }, () => randomRequest(setup, random))
  const { responses, isClosed } = await pipeline.send(requests.map(({ hostile }) => hostile))
  for (const [index, response] of responses.entries()) assertAllowed(setup, requests[index]!, response)
  const isAnnounced = responses.at(-1)?.headers.connection === 'close'
  const unanswered = requests[responses.length]
  if (!isClosed || isAnnounced || !unanswered) return responses.map(({ status }) => status)
  const isTooLong = requests.some(({ hostile }) => (hostile.body?.length ?? 0) > BODY_MAX)
  assert(isTooLong, `${textOf(unanswered.name, unanswered.hostile)} closed the connection`)
  return responses.map(({ status }) => status)
}

function assertAllowed(
  setup: Setup,
  { name, caller, hostile }: FuzzRequest,
  response: HostileResponse,
): void {
  assertResponse(() => textOf(name, hostile), hostile, response)
  if (caller.isOperator || !setup.revealsVictims(response.text)) return
  assert.fail(`${textOf(name, hostile)} revealed a victim: ${response.text.slice(0, 1_000)}`)
}

export const textOf = (name: OperationName, { method, path, headers, body }: HostileRequest): string =>
  `${name}: ${method} ${path} ${JSON.stringify(headers)} ${body?.subarray(0, 400)}`

/** A number, or a word for errors of locates. */
const isCode = (code: unknown): boolean =>
  Number.isInteger(code) || (typeof code === 'string' && locateCodes.has(code))

const locateCodes: ReadonlySet<string> = new Set(
  Object.values<ErrorRow>(errors).flatMap(({ textCode }) => textCode ?? []),
)

export function assertResponse(
  requestText: () => string,
  { method }: HostileRequest,
  response: HostileResponse,
): void {
  const { status, headers, body, text } = response
  const failure = () => `${requestText()} returned ${status} ${text.slice(0, 400)}`
  const isPage = headers['content-type'] === 'text/html; charset=utf-8' && text.includes('<h1>')
  const hasError = method === 'HEAD' || isPage || (typeof body?.message === 'string' && isCode(body.code))
  const isGood = status < 500 && /^[0-9a-f]{32}$/.test(String(headers['x-request-id']))
  if (!isGood || (status >= 400 && !hasError)) assert.fail(failure())
}
