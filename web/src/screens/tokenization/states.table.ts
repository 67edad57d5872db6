/** The states of a mint in their order, with the words of the screen. A redeem goes from the first to the last. */
export const path = [
  { state: 'received', title: 'Received' },
  { state: 'validating', title: 'Validating' },
  { state: 'issuer_accepted', title: 'Accepted' },
  { state: 'transferred', title: 'Shares moved' },
  { state: 'confirmed', title: 'Issuer notified' },
  { state: 'completed', title: 'Completed' },
] as const

export type State = (typeof path)[number]['state'] | 'rejected'

export const titleOf = (state: State): string => path.find((one) => one.state === state)?.title ?? 'Rejected'

/** 0 for the first state; -1 for rejected. */
export const indexOf = (state: State): number => path.findIndex((one) => one.state === state)

/** Events of the journal that move a request, and the state they lead to. */
export const stateAfter: Readonly<Record<string, State>> = {
  mintRequested: 'received',
  redeemRequested: 'received',
  jobStarted: 'validating',
  mintAccepted: 'issuer_accepted',
  mintTransferred: 'transferred',
  mintConfirmed: 'confirmed',
  mintCompleted: 'completed',
  redeemCompleted: 'completed',
  mintRejected: 'rejected',
  redeemRejected: 'rejected',
}
