/** Days on which the New York exchanges stayed closed for a reason of their own. */
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

/** Days that ended at 13:00 outside the yearly rules. */
export const EARLY_CLOSES: readonly string[] = ['1997-12-26', '1999-12-31', '2003-12-26']
