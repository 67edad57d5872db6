import type { BrokerAccountRecord, Handlers, InputOf } from '@quipu/contract'
import type { AccountId } from '@quipu/core'
import { brokerAccountToWire } from '../../wire/broker-wire.ts'
import type { Context } from '../context.ts'
import { worldNamed } from '../sim/world-named.ts'
import { askedBy, changed, type PartnerPlace, placeOf } from './partner-place.ts'

type Names = 'blockAccount' | 'unblockAccount' | 'blockAccountOfWorld' | 'unblockAccountOfWorld'

export const accountBlockHandlers: Handlers<Context, Names> = {
  blockAccount: (input, context) => change('blockAccount', placeOf(context, input.headers), input, context),
  unblockAccount: (input, context) =>
    change('unblockAccount', placeOf(context, input.headers), input, context),
  blockAccountOfWorld: (input, context) => change('blockAccount', anyOf(input, context), input, context),
  unblockAccountOfWorld: (input, context) => change('unblockAccount', anyOf(input, context), input, context),
}

type Place = Pick<PartnerPlace, 'world' | 'sees'>
type Input = Pick<InputOf<'blockAccountOfWorld'>, 'params' | 'body'>

/** An operator sees every account of a world. */
const anyOf = ({ params }: Input, context: Context): Place => ({ world: worldNamed(params.world, context) })

async function change(
  kind: 'blockAccount' | 'unblockAccount',
  place: Place,
  { params, body }: { readonly params: { readonly account_id: string }; readonly body: Input['body'] },
  context: Context,
): Promise<BrokerAccountRecord> {
  const { blocks, reason } = body
  const why = reason === undefined ? {} : { reason }
  const accountId = params.account_id as AccountId
  const command = { kind, accountId, blocks: [...new Set(blocks)], ...why, ...askedBy(place) } as const
  return brokerAccountToWire(await changed(context, place, command))
}
