import type { World } from '@quipu/broker/world/world.ts'
import type { AccountId } from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { worldNamed } from '../sim/world-named.ts'

/** The world that a caller reads. An account reads only its own data, in its own world. */
export type Reader = { readonly world: World; readonly limitedTo: AccountId | undefined }

export function readerOf(context: Context, name: string): Reader {
  const { caller } = context
  if (caller?.kind !== 'account') return { world: worldNamed(name, context), limitedTo: undefined }
  if (caller.world.id !== name) throw refuse({ code: 'worldNotFound', world: name })
  return { world: caller.world, limitedTo: caller.accountId }
}

/** The account whose rows a list has; undefined for all accounts. */
export function accountFor({ limitedTo }: Reader, requested: string | undefined): AccountId | undefined {
  if (limitedTo !== undefined && requested !== undefined && requested !== limitedTo)
    throw refuse({ code: 'accountNotFound' })
  return limitedTo ?? (requested as AccountId | undefined)
}
