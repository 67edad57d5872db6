/** A stream of the program, with the messages that the program may not see yet. */
export type ProgramStream = {
  readonly name: string
  readonly gateId: string | undefined
  held: (() => void)[]
}

/** How a program follows a replay: `exact` reports when it is done, `best effort` only answers pings. */
export type ProgramMode = 'exact' | 'best effort'
