import fs from 'node:fs'
import type { ProgramClock } from './timers.ts'

export type StepClock = ProgramClock & {
  /** The time for the program. A loop that reads it again and again moves it. */
  read(): number
  /** Whether the replay is over: the clock has the speed of the machine's. */
  isReleased(): boolean
  forget(): void
  /** The program has reached an instant before the broker. */
  reach(instant: number): void
  /** The program waits for its event loop: no loop reads the clock. */
  rest(): void
  /** The program ends: stores the instant for the runner if the broker has not reached it. */
  end(): void
  /** Called by a loop that waits for the clock, again and again until it moves. */
  onLoop: () => void
}

/** So many reads at one instant are a loop. From then on as many as the second number take a millisecond of the world. */
const READS_AT_ONE_INSTANT = 100_000
const READS_IN_A_MILLISECOND = 50

/** Reads the time from the file, and keeps it until something arrives. The program may be ahead of the file. */
export function stepClock(file: string, realNow: () => number): StepClock {
  const descriptor = fs.openSync(file, 'r')
  const [now, speed, at] = [0, 1, 2]
  const numbers = new Float64Array(3)
  let isKnown = false
  let earliest = Number.NEGATIVE_INFINITY
  let reads = 0
  const readFile = (): void => {
    fs.readSync(descriptor, numbers, 0, 24, 0)
    isKnown = true
  }
  const clock: StepClock = {
    forget() {
      isKnown = false
    },
    reach(instant) {
      earliest = instant
    },
    rest() {
      reads = 0
    },
    end() {
      readFile()
      if (earliest > numbers[now]!) fs.writeFileSync(`${file}-end`, `${earliest}`)
    },
    isReleased() {
      readFile()
      return numbers[speed] !== 0
    },
    now() {
      if (!isKnown) readFile()
      const passed = numbers[speed] === 0 ? 0 : (realNow() - numbers[at]!) * numbers[speed]!
      return Math.max(numbers[now]! + passed, earliest)
    },
    read() {
      reads += 1
      if (reads > READS_AT_ONE_INSTANT && reads % READS_IN_A_MILLISECOND === 0 && numbers[speed] === 0)
        clock.onLoop()
      return clock.now()
    },
    onLoop: () => undefined,
  }
  return clock
}
