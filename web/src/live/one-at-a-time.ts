/** A read that never overlaps with itself: calls during a read cause one more read after it. */
export function oneAtATime(read: () => Promise<void>): () => void {
  let isReading = false
  let readAgain = false
  const run = (): void => {
    if (isReading) {
      readAgain = true
      return
    }
    isReading = true
    void read().finally(() => {
      isReading = false
      if (!readAgain) return
      readAgain = false
      run()
    })
  }
  return run
}
