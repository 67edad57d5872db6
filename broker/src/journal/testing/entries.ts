import type { Entry } from '../group.ts'

/** An entry with any text, because a journal does not interpret its events. */
export const entry = (open: string, sealed?: string): Entry =>
  sealed === undefined
    ? { open: Buffer.from(open) }
    : { open: Buffer.from(open), sealed: Buffer.from(sealed) }
