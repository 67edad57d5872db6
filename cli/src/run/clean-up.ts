/** All steps together. A server that is gone or does not answer must not keep a command whose program has ended. */
const CLEAN_UP_MS = 3000

export type CleanUpStep = (options: { readonly signal: AbortSignal }) => unknown

/** What a command undoes after the program that it ran. A step that fails is a note: the exit code of the program counts. */
export class CleanUp {
  readonly #note: (text: string) => void
  #leftMs = CLEAN_UP_MS

  constructor(note: (text: string) => void) {
    this.#note = note
  }

  /** Runs a step. `undone` says what remains if it fails, and `remedy` what to do then. */
  async step(undone: string, run: CleanUpStep, remedy?: string): Promise<void> {
    const started = performance.now()
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(this.#leftMs)))
    try {
      await run({ signal })
    } catch (error) {
      const reason = signal.aborted ? 'no response' : error instanceof Error ? error.message : String(error)
      this.#note(remedy === undefined ? `${undone}: ${reason}` : `${undone}: ${reason}; ${remedy}`)
    } finally {
      this.#leftMs -= performance.now() - started
    }
  }
}
