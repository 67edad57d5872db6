import { text } from '../shape/index.ts'

/** A world in a path; any text, because a name nobody has is simply not found. */
export const worldParam = { world: text({ min: 1, max: 64 }) }
