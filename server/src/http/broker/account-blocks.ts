import type { BrokerAccountRecord, InputOf } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { brokerAccountToWire } from '../../wire/broker-wire.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { worldNamed } from '../sim/world-named.ts'
import { accessOf, changeAccount, type PartnerAccess, partnerCaller } from './partner-access.ts'

export const accountBlockHandlers = {
  blockAccount: (input, context) => change('blockAccount', accessOf(context, input.headers), input, context),
  unblockAccount: (input, context) =>
    change('unblockAccount', accessOf(context, input.headers), input, context),
  blockAccountOfWorld: (input, context) =>
    change('blockAccount', operatorAccess(input, context), input, context),
  unblockAccountOfWorld: (input, context) =>
    change('unblockAccount', operatorAccess(input, context), input, context),
} satisfies SomeHandlers

type Access = Pick<PartnerAccess, 'world' | 'limitedTo'>
type Input = Pick<InputOf<'blockAccountOfWorld'>, 'params' | 'body'>

/** An operator may change every account of a world. */
const operatorAccess = ({ params }: Input, context: Context): Access => ({
  world: worldNamed(params.world, context),
})

async function change(
  kind: 'blockAccount' | 'unblockAccount',
  access: Access,
  { params, body }: { readonly params: Pick<Input['params'], 'account_id'>; readonly body: Input['body'] },
  context: Context,
): Promise<BrokerAccountRecord> {
  const { blocks, reason } = body
  const accountId = params.account_id
  const command = {
    kind,
    accountId,
    blocks: [...new Set(blocks)],
    ...definedFields({ reason }),
    ...partnerCaller(access),
  } as const
  return brokerAccountToWire(await changeAccount(context, access, command))
}
