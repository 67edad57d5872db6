import { definedFields } from '../defined-fields.ts'
import type { Account, AccountBlocks, BlockKind } from './account.ts'
import type { AccountBlocked, AccountUnblocked } from './partner/events.ts'

/** `because` is the operator's reason. It appears in explanations, not on the wire. */
export type BlockRefusal<Code extends string> = { readonly code: Code; readonly because?: string }

export function blocksAfter(
  before: AccountBlocks | undefined,
  { kind, at, blocks, reason }: AccountBlocked | AccountUnblocked,
): AccountBlocks | undefined {
  const after: { -readonly [Kind in BlockKind]?: AccountBlocks[Kind] } = { ...before }
  for (const each of blocks)
    if (kind === 'accountUnblocked') delete after[each]
    // A new reason keeps the original start time.
    else after[each] = { since: before?.[each]?.since ?? at, ...definedFields({ reason }) }
  return Object.keys(after).length === 0 ? undefined : after
}

/**
 * Returns the reason why the account may not do this: a block of this kind, a block of the whole account, or
 * a pending review.
 */
export function blockFault<Code extends string>(
  { blocks, review }: Pick<Account, 'blocks' | 'review'>,
  kind: Exclude<BlockKind, 'account'>,
  code: Code,
): BlockRefusal<Code> | undefined {
  if (review) return { code, because: `the account is ${review}` }
  const block = blocks && (blocks[kind] ?? blocks.account)
  return block && { code, ...definedFields({ because: block.reason }) }
}
