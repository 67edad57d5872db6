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

/** `503`, `Answer lost`: what a rule does. */
export function faultTitle({ effect: { kind, status } }: Pick<Fault, 'effect'>): string {
  if (kind === 'status') return String(status)
  const words = kind.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
