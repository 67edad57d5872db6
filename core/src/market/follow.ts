import { tokensForbid } from '../actions/schedule.ts'
import type { Appliers, Deciders } from '../handlers.ts'
import { found, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import type { MarketChange } from './followed.ts'

export type FollowRefusal = { readonly code: 'marketFollowed'; readonly world: string }

export const followDeciders = {
  /** An event that was copied before is no change. A gap is a bug of the caller: the market would differ. */
  copyMarket(view, { at }, { after, seq, change }) {
    const copied = view.followed?.seq
    if (copied === undefined) throw new Error('bug: the world follows no other')
    if (seq <= copied) return ok([])
    if (after !== copied)
      throw new Error(
        `bug: expected the event after ${copied} of the followed world, received ${seq} after ${after}`,
      )
    const marker = { kind: 'marketCopied', at, seq } as const
    return ok(change && isPossible(view, change) ? [marker, { ...change, at }] : [marker])
  },

  endFollowing: (view, { at }) => ok(view.followed ? [{ kind: 'followingEnded', at }] : []),
} satisfies Deciders

/**
 * The clock of the world may be ahead of the followed one, and its tokens are its own: an action that was applied here
 * stays, and a delisting of shares with tokens does not happen here.
 */
function isPossible(view: View, change: MarketChange): boolean {
  if (change.kind === 'actionScheduled') return !tokensForbid(view, change.action)
  if (change.kind !== 'actionCanceled') return true
  const action = view.actions.get(change.actionId)
  return action !== undefined && action.appliedAt === undefined
}

export const followAppliers = {
  marketCopied(state, { seq }) {
    state.followed = { ...found(state.followed, 'the followed world'), seq }
  },

  followingEnded(state) {
    state.followed = undefined
  },
} satisfies Appliers
