/** The WebSocket on which `quipu run` receives the time and reports when its program is done. */
export const participantPath = '/sim/v1/participant'

/** The header of a handshake: the id of the participant that reports for the stream, and its name of the stream. */
export const participantHeader = 'x-quipu-participant'

/** The query parameter of a stream whose client acknowledges the messages of a step. */
export const acknowledgeParameter = 'acknowledge'

/** A message to a participant: its id, once, then what its program may see. */
export type ParticipantMessage =
  | { readonly participant: string }
  | {
      /** The time in milliseconds since 1970. */
      readonly now: number
      /** Messages that the streams of the program were sent, all of which it may receive. */
      readonly sent: number
      /** Whether timers of the program are due. */
      readonly fire: boolean
      /** Absent: nothing is known in advance. */
      readonly ahead?: MessagesAhead
    }

/** Messages of later instants. The program may receive them, instant by instant, until it does something. */
export type MessagesAhead = {
  /** The participant's name of the stream that would be sent the messages. */
  readonly stream: string
  /** The time of each message in milliseconds since 1970, and its WebSocket frame in base64. */
  readonly frames: readonly (readonly [at: number, frame: string])[]
}

/** What a participant has counted when its program was idle. */
export type ParticipantReport = {
  /** Messages that it has received itself, without the first. */
  readonly updates: number
  /** Messages that the streams of the program have received. */
  readonly received: number
  /** Messages that the streams of the program have sent. */
  readonly sent: number
  /** When the next timer of the program is due, in milliseconds since 1970. */
  readonly next: number | null
  /** How many of the messages ahead the program has received; they count as received. Default: 0. */
  readonly ahead?: number
}
