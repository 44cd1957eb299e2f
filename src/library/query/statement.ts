/** Where the first statement of a text ends. Pure; SQLite itself decides what kind of statement it is (`runQuery.ts`). */

/** Comments and quoted text, which may hold semicolons. A quotation without an end is left to SQLite, which reports it. */
const TOKEN = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$)|;/g;
const COMMENT = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** @returns the first statement without its semicolon; `rest` is what follows, without comments and empty statements */
export function splitStatement(sql: string): { statement: string; rest: string } {
  for (const { 0: token, index } of sql.matchAll(TOKEN)) {
    if (token !== ';') continue;
    const rest = sql
      .slice(index + 1)
      .replace(COMMENT, ' ')
      .replace(/[\s;]+/g, ' ')
      .trim();
    return { statement: sql.slice(0, index), rest };
  }
  return { statement: sql, rest: '' };
}
