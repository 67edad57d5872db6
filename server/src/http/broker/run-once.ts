import { hash } from 'node:crypto'
import { holderOf } from '@quipu/broker/access/caller.ts'
import { CallRepeated, earlierResponse, type Once } from '@quipu/broker/world/once.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { type Input, operationNamed, type RawRequest } from '@quipu/contract'
import {
  callKey,
  fieldsIn,
  type KeyedCall,
  keyOwnerId,
  lookUp,
  missing,
  type PartnerId,
  type StoredResponse,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { prebuilt } from '../prebuilt.ts'
import { worldNamed } from '../sim/world-named.ts'
import { checkReplay } from '../tokenization/replayed-request.ts'
import { accessOf } from './partner-access.ts'

/** A request of an operation that takes an idempotency key. */
export type KeyedCallInput = {
  readonly name: string
  readonly input: Input
  /** As the client sent them. */
  readonly params: RawRequest['params']
  readonly query: string
}

/** The headers that a request with a key may have. */
type KeyHeaders = { readonly 'idempotency-key'?: string; readonly 'x-quipu-world'?: string }

function keyHeadersOf({ headers }: Input): KeyHeaders {
  const { 'idempotency-key': key, 'x-quipu-world': world } = fieldsIn(headers)
  return {
    ...(typeof key === 'string' && { 'idempotency-key': key }),
    ...(typeof world === 'string' && { 'x-quipu-world': world }),
  }
}

/** Only operations that take an idempotency key declare its header. */
export const hasKey = (input: Input): boolean => keyHeadersOf(input)['idempotency-key'] !== undefined

/**
 * Runs an operation at most once per idempotency key, credential and operation. How this works:
 *
 *   1. A response that is stored under the key is sent again, before the handler checks anything.
 *   2. Otherwise the handler submits its command with the key (`Context.perform`), and the engine stores the response in the
 *      group of the command. A duplicate that runs at the same time finds it there: the engine decides one command at a time.
 *   3. A refusal stores nothing, so a corrected request may use the key again.
 */
export async function runOnce(context: Context, call: KeyedCallInput, run: () => unknown): Promise<unknown> {
  const { 'idempotency-key': key } = keyHeadersOf(call.input)
  if (key === undefined) return run()
  const { idempotencyKeyMax: max } = context.services.limits
  if (key.length > max) throw refuse({ code: 'idempotencyKeyTooLong', max })
  const world = worldOf(context, call)
  const ownerId = ownerOf(context, call)
  const request: Once<never>['request'] = {
    holders: [holderOf(context.caller ?? missing('the caller')), ...formerKeys(context, world)],
    ownerId,
    operation: call.name,
    key,
    bodyHash: bodyHashOf(context, call, ownerId),
  }
  const { engine } = world
  return world.storage.withArchived(
    (queryTables) =>
      firstStored(request.holders, (holder) => queryTables.callByKey(holder, callKey(request))),
    async (archived) => {
      const once = { request, engine, archived }
      const { now } = world.engine
      const stored = await context.state.read(world, (view) => earlierResponse(view, now, once))
      if (stored) return replay(context, world, call, request, stored)
      context.state.once = once
      try {
        return await run()
      } catch (error) {
        if (!(error instanceof CallRepeated)) throw error
        context.state.seq = error.seq
        return replay(context, world, call, request, error.stored)
      }
    },
  )
}

async function firstStored(
  holders: readonly string[],
  find: (holder: PartnerId) => Promise<KeyedCall | undefined>,
): Promise<KeyedCall | undefined> {
  for (const holder of holders) {
    const found = await find(holder as PartnerId)
    if (found) return found
  }
  return undefined
}

/** The first response again; another body is refused. */
async function replay(
  context: Context,
  world: World,
  { name }: KeyedCallInput,
  { bodyHash }: Once<never>['request'],
  { bodyHash: first, response }: StoredResponse,
): Promise<unknown> {
  if (first !== bodyHash)
    throw refuse({ code: name === 'createJournal' ? 'journalKeyReused' : 'idempotencyKeyReused' })
  await checkReplay(context, world, name, response)
  context.header('Idempotent-Replayed', 'true')
  return response === '' ? undefined : prebuilt(response)
}

function worldOf(context: Context, { input, params }: KeyedCallInput): World {
  if (params['world'] !== undefined) return worldNamed(params['world'], context)
  if (context.caller?.kind === 'partner') return accessOf(context, keyHeadersOf(input)).world
  return context.account.world
}

/** Fields of a body that name the account of the call. In an operation that does not declare them, a caller can write anything there. */
const ACCOUNT_FIELDS = ['from_account', 'account_id']

/** The account that the call concerns, or the partner. */
function ownerOf({ caller, body }: Context, { name, input }: KeyedCallInput): string {
  const { account_id: accountId } = fieldsIn(input.params)
  if (typeof accountId === 'string') return accountId
  if (caller?.kind === 'account') return caller.accountId
  const fields = fieldsIn(fieldsIn(operationNamed(name)?.body)['fields'])
  const field = ACCOUNT_FIELDS.find((one) => one in fields)
  const named = field && fieldsIn(body)[field]
  return typeof named === 'string' ? named.toLowerCase() : (caller?.partnerId ?? '')
}

/** In a fork or a loaded world, a new key continues the keys that its owner had in the original. */
function formerKeys({ caller }: Context, { view }: World): readonly string[] {
  if (view.formerKeys.size === 0) return []
  const key = lookUp(view.keys, caller?.credentialId)
  return (key && view.formerKeys.get(keyOwnerId(key.owner))) ?? []
}

/**
 * Equal for the same account, path, query and body, whatever the order of the fields and the case of the ids in the path. Fields
 * of the body that no shape reads count too.
 */
function bodyHashOf({ body }: Context, { input, query }: KeyedCallInput, owner: string): string {
  try {
    return hash('sha256', JSON.stringify([owner, sorted(input.params), query, sorted(body)]), 'hex')
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw refuse({ code: 'invalidParameter', problem: 'body: nested too deeply for an Idempotency-Key' })
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([name, inner]) => [name, sorted(inner)])
}
