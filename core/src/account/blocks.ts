import type { Account, AccountBlocks, BlockKind } from './account.ts'
import type { AccountBlocked, AccountUnblocked } from './partner/events.ts'

/** `because` is the reason that was given, if any: for who explains, not for the wire. */
export type BlockRefusal<Code extends string> = { readonly code: Code; readonly because?: string }

export function blocksAfter(
  before: AccountBlocks | undefined,
  { kind, at, blocks, reason }: AccountBlocked | AccountUnblocked,
): AccountBlocks | undefined {
  const after: { -readonly [Kind in BlockKind]?: AccountBlocks[Kind] } = { ...before }
  for (const one of blocks)
    if (kind === 'accountUnblocked') delete after[one]
    // A new reason does not change since when it is so.
    else after[one] = { since: before?.[one]?.since ?? at, ...(reason === undefined ? {} : { reason }) }
  return Object.keys(after).length === 0 ? undefined : after
}

/**
 * Why an account may not do this, if it may not: by the block itself, by that of the whole account, or because the
 * account is not open for business.
 */
export function blockFault<Code extends string>(
  { blocks, review }: Pick<Account, 'blocks' | 'review'>,
  kind: Exclude<BlockKind, 'account'>,
  code: Code,
): BlockRefusal<Code> | undefined {
  if (review) return { code, because: `the account is ${review}` }
  const block = blocks && (blocks[kind] ?? blocks.account)
  return block && { code, ...(block.reason === undefined ? {} : { because: block.reason }) }
}
