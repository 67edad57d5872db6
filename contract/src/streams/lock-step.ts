/** The WebSocket on which `quipu run` receives the time and reports when its program is done. */
export const participantPath = '/sim/v1/participant'

/** The header of a handshake with the id of the participant that reports for the stream. */
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
}
