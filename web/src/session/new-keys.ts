import { signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'

type CreatedWorld = Output<'createWorld'>

/** The keys of the accounts of a world that this page created. The server shows secrets once. */
export type NewKeys = Pick<CreatedWorld, 'world' | 'accounts'>

export const newKeys = signal<NewKeys | undefined>(undefined)

export const keepKeys = ({ world, accounts }: NewKeys): void => {
  newKeys.value = { world, accounts }
}
