/** The day of an instant in New York, such as `2026-01-05`. */
export const newYorkDateText = (at: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' }).format(new Date(at))
