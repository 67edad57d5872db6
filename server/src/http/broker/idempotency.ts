import { hash } from 'node:crypto'
import {
  type Decision,
  earlierAccount,
  earlierCall,
  found,
  type JournalBetween,
  type JournalToWorld,
  type KeyedCall,
  type OpenAccount,
  type PartnerId,
  type Refusal,
  type RequestMint,
  type TransferMoney,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import type { PartnerAccess } from './partner-access.ts'

/** The contract refuses keys longer than the highest possible setting; this check applies the setting. */
export function checkKey({ services: { limits } }: Context, key = ''): void {
  const { idempotencyKeyMax: max } = limits
  if (key.length > max) throw refuse({ code: 'idempotencyKeyTooLong', max })
}

/** Equal for the same fields with the same values, in any order. */
export const hashOf = (body: object): string =>
  hash('sha256', JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1))), 'hex')

/** Hashes the body as received, so that an unknown field makes a different body too. */
export const idempotencyOf = (
  { body }: Context,
  key: string | undefined,
): Pick<RequestMint, 'idempotency'> =>
  key === undefined ? {} : { idempotency: { key, bodyHash: hashOf(body as object) } }

type Command = TransferMoney | JournalBetween | JournalToWorld | OpenAccount
type Outcome = KeyedCall['led']
type Submission<Value> =
  | { readonly ok: false; readonly reason: Refusal }
  | { readonly ok: true; readonly isReplay: boolean; readonly value: Value }

/** An idempotency key, the partner that sent it, and the operation and body that it identifies. */
export type KeyOfCall = {
  readonly key: string | undefined
  readonly partnerId: PartnerId | undefined
  readonly operation: string
  readonly body: object
}

/**
 * Submits a command of a partner, at most once per idempotency key, and reads its outcome, new or earlier.
 * An earlier call that is no longer in memory is read from the views.
 */
export async function submitOnce<Value>(
  context: Context,
  { world }: PartnerAccess,
  command: Command,
  { key, partnerId, operation, body }: KeyOfCall,
  read: (outcome: Outcome, view: View) => Value,
): Promise<Value> {
  checkKey(context, key)
  const bodyHash = hashOf({ operation, body: hashOf(body) })
  const keyed = key === undefined ? command : { ...command, idempotency: { key, bodyHash } }
  const submit = (earlier?: KeyedCall): Promise<Submission<Value>> => {
    const complete = earlier ? { ...keyed, earlier } : keyed
    return context.submit(world, complete, (view, decision) => {
      if (!decision.ok) return decision
      const isReplay = decision.value.length === 0
      return { ok: true, isReplay, value: read(outcomeOf(view, complete, decision), view) }
    })
  }
  // An unknown account has no partner, and the core refuses the command.
  const submission =
    key === undefined || partnerId === undefined
      ? await submit()
      : await world.withArchived((views) => views.callByKey(partnerId, key), submit)
  if (!submission.ok) throw refuse(submission.reason)
  if (submission.isReplay && key !== undefined) context.header('Idempotent-Replayed', 'true')
  return submission.value
}

function outcomeOf(view: View, command: Command, { value }: Extract<Decision, { ok: true }>): Outcome {
  const [event] = value
  switch (event?.kind) {
    case 'transferBooked':
      return { kind: 'transfer', transfer: event.transfer }
    case 'journalBooked':
    case 'journalSent':
      return { kind: 'journal', journal: event.journal }
    case 'accountOpened':
      return { kind: 'account', accountId: event.accountId }
    default:
      return earlierOf(view, command)
  }
}

function earlierOf(view: View, command: Command): Outcome {
  const partnerId =
    command.kind === 'openAccount'
      ? command.partnerId
      : view.accounts.get(command.kind === 'transferMoney' ? command.accountId : command.from)?.partnerId
  const call = earlierCall(view, found(partnerId, 'the partner'), command)
  if (call) return call.led
  const account = command.kind === 'openAccount' ? earlierAccount(view, command) : undefined
  return { kind: 'account', accountId: found(account, 'the earlier account').id }
}
