import assert from 'node:assert/strict'
import {
  type ErrorRow,
  errors,
  type Operation,
  type OperationName,
  operations,
  type Who,
} from '@quipu/contract'
import type { Random } from '../random.ts'
import { type Hostile, hostileRequest, names } from './inputs.ts'
import type { Pipeline } from './pipeline.ts'
import type { Answer } from './send.ts'
import type { Key, Stage } from './stage.ts'

/** Operations that read something come up ten times as often as those with nothing to get wrong. */
const often = names.flatMap((name) => {
  const { params, query, headers, body }: Operation = operations[name]
  return Array<OperationName>(params || query || headers || body ? 10 : 1).fill(name)
})

const nobody = { keyId: 'PKNOBODY', secretKey: 'nothing' }

type Caller = { readonly key: Pick<Key, 'keyId' | 'secretKey'>; readonly isOperator: boolean }

/** Mostly one who may call; else anyone but the operator, whose hands reach everywhere. */
function callerFor(stage: Stage, who: readonly Who[], random: Random): Caller {
  const luck = random.next()
  if (luck < 0.05) return { key: nobody, isOperator: false }
  if (luck < 0.25) return { key: random.pick([stage.hunter, stage.partner]), isOperator: false }
  if (who.includes('operator')) return { key: stage.operator, isOperator: true }
  return { key: who.includes('partner') ? stage.partner : stage.hunter, isOperator: false }
}

/** What the caller knows: the operator only what it may touch, the others also what is not theirs. */
function knownTo({ key, isOperator }: Caller, stage: Stage, name: OperationName, random: Random) {
  if (isOperator) return name === 'deleteWorld' ? {} : stage.own
  const own = key === stage.partner ? { ...stage.own, ...stage.partnersOwn } : stage.own
  return random.chance(0.5) ? own : { ...own, ...random.pick(stage.victims).known }
}

/** Bodies that are cut off may be answered with a closed door: there is nobody who reads on. */
const BODY_MAX = 1024 * 1024
const BATCH = 12

type Asked = { readonly name: OperationName; readonly caller: Caller; readonly hostile: Hostile }

function askedBy(stage: Stage, random: Random): Asked {
  const name = random.pick(often)
  const caller = callerFor(stage, operations[name].who, random)
  const hostile = hostileRequest(name, random, knownTo(caller, stage, name, random))
  const { keyId, secretKey } = caller.key
  const headers = { ...hostile.headers, 'apca-api-key-id': keyId, 'apca-api-secret-key': secretKey }
  // The operator's DELETE of what another operation names would end the world that all this happens in.
  const isMistaken = caller.isOperator && hostile.method === 'DELETE'
  const method = isMistaken ? operations[name].method : hostile.method
  return { name, caller, hostile: { ...hostile, method, headers } }
}

/** Some hostile requests in one packet, and all that must hold of their answers. Gives the statuses. */
export async function stormRequests(
  stage: Stage,
  pipeline: Pipeline,
  random: Random,
): Promise<readonly number[]> {
  const asked = Array.from({ length: BATCH }, () => askedBy(stage, random))
  const { answers, isClosed } = await pipeline.ask(asked.map(({ hostile }) => hostile))
  for (const [index, answer] of answers.entries()) assertNoHarm(stage, asked[index]!, answer)
  const isGoodbye = answers.at(-1)?.headers.connection === 'close'
  const unanswered = asked[answers.length]
  if (!isClosed || isGoodbye || !unanswered) return answers.map(({ status }) => status)
  const isTooLong = asked.some(({ hostile }) => (hostile.body?.length ?? 0) > BODY_MAX)
  assert(isTooLong, `${told(unanswered.name, unanswered.hostile)} closed the door`)
  return answers.map(({ status }) => status)
}

function assertNoHarm(stage: Stage, { name, caller, hostile }: Asked, answer: Answer): void {
  assertAnswer(() => told(name, hostile), hostile, answer)
  if (caller.isOperator || !stage.tellsOfVictims(answer.text)) return
  assert.fail(`${told(name, hostile)} was told what is not theirs: ${answer.text.slice(0, 1_000)}`)
}

export const told = (name: OperationName, { method, path, headers, body }: Hostile): string =>
  `${name}: ${method} ${path} ${JSON.stringify(headers)} ${body?.subarray(0, 400)}`

/** A number, but for locates, whose codes are words. */
const isCode = (code: unknown): boolean =>
  Number.isInteger(code) || (typeof code === 'string' && locateCodes.has(code))

const locateCodes: ReadonlySet<string> = new Set(
  Object.values<ErrorRow>(errors).flatMap(({ textCode }) => textCode ?? []),
)

export function assertAnswer(asked: () => string, { method }: Hostile, answer: Answer): void {
  const { status, headers, body, text } = answer
  const what = () => `${asked()} gave ${status} ${text.slice(0, 400)}`
  const isPage = headers['content-type'] === 'text/html; charset=utf-8' && text.includes('<h1>')
  const isTold = method === 'HEAD' || isPage || (typeof body?.message === 'string' && isCode(body.code))
  const isGood = status < 500 && /^[0-9a-f]{32}$/.test(String(headers['x-request-id']))
  if (!isGood || (status >= 400 && !isTold)) assert.fail(what())
}
