/** Days on which the New York exchanges were closed for a special reason. */
export const SPECIAL_CLOSURES: readonly string[] = [
  '1972-12-28', // funeral of Harry Truman
  '1973-01-25', // funeral of Lyndon Johnson
  '1977-07-14', // blackout
  '1985-09-27', // hurricane Gloria
  '1994-04-27', // funeral of Richard Nixon
  '2001-09-11', // the attacks
  '2001-09-12',
  '2001-09-13',
  '2001-09-14',
  '2004-06-11', // funeral of Ronald Reagan
  '2007-01-02', // mourning for Gerald Ford
  '2012-10-29', // hurricane Sandy
  '2012-10-30',
  '2018-12-05', // mourning for George H. W. Bush
  '2025-01-09', // mourning for Jimmy Carter
]

const at = (clock: string, ...dates: string[]): readonly (readonly [date: string, minute: number])[] =>
  dates.map((date) => [date, Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))])

/**
 * Planned early closes outside the yearly rules. Unplanned ones, for example because of a storm or a computer
 * failure, are not included.
 */
export const EARLY_CLOSES: readonly (readonly [date: string, minute: number])[] = [
  ...at('14:00', '1974-12-24', '1975-12-24', '1990-12-24', '1991-12-24', '1992-11-27', '1992-12-24'),
  // After the crash of 1987 the exchange closed early to process its backlog.
  ...at('14:00', '1987-10-23', '1987-10-26', '1987-10-27', '1987-10-28', '1987-10-29', '1987-10-30'),
  ...at('14:30', '1987-11-02', '1987-11-03', '1987-11-04'),
  ...at('15:00', '1987-11-05', '1987-11-06'),
  ...at('15:30', '1987-11-09', '1987-11-10', '1987-11-11'),
  ...at('13:00', '1997-12-26', '1999-12-31', '2003-12-26'),
]
