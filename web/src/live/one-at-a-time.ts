/** A read that never overlaps with itself: calls during a read cause one more read after it, and after a pause. */
export function oneAtATime(read: () => Promise<void>, pauseMs = 0): () => void {
  let isReading = false
  let readAgain = false
  const run = (): void => {
    if (isReading) {
      readAgain = true
      return
    }
    isReading = true
    void read().finally(async () => {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      isReading = false
      if (!readAgain) return
      readAgain = false
      run()
    })
  }
  return run
}
