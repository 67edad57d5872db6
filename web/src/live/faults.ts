import { computed, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { worldName } from '../session/selection.ts'

export type Fault = Output<'listFaults'>[number]

/** The fault rules by world. A world without rules is absent. */
export const faults = signal<ReadonlyMap<string, readonly Fault[]>>(new Map())

/** The fault rules of the world on screen. */
export const worldFaults = computed(() => faults.value.get(worldName.value) ?? [])

export function takeFaults(world: string, rules: readonly Fault[]): void {
  faults.value = new Map(faults.peek()).set(world, rules)
}

type Kind = Fault['effect']['kind']

const titles: Readonly<Record<Kind, string>> = {
  status: 'Status',
  delay: 'Delay',
  request_lost: 'Request lost',
  answer_lost: 'Response lost',
  reset: 'Reset',
  truncated: 'Truncated',
  close: 'Close',
  silence: 'Silence',
  half_open: 'Half open',
  slow: 'Slow',
  duplicate: 'Duplicate',
  reorder: 'Reorder',
  drop: 'Drop',
  lost_subscription: 'Lost subscription',
  refused_authentication: 'Refused authentication',
  outage: 'Outage',
  stale_quotes: 'Stale quotes',
  call_refused: 'Call refused',
  call_delayed: 'Call delayed',
  call_failed: 'Call failed',
  call_answer_lost: 'Call response lost',
}

/** `503`, `Response lost`: what a rule does. */
export const faultTitle = ({ effect: { kind, status } }: Pick<Fault, 'effect'>): string =>
  kind === 'status' ? String(status) : titles[kind]
