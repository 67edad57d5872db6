import { signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'

type CreatedWorld = Output<'createWorld'>

/** The keys to accounts in a world that this page created. The server shows secrets once. */
export type NewKeys = Pick<CreatedWorld, 'world' | 'accounts'>

export const newKeys = signal<NewKeys | undefined>(undefined)

export const keepKeys = ({ world, accounts }: NewKeys): void => {
  newKeys.value = { world, accounts }
}
