/** Names that services and people give to columns of tables and keys of JSON objects. */
import { BARE_ID } from '../../domain/ids.ts';
import { foldLetters } from '../names.ts';

/**
 * Names in order of preference, in the form of `columnKey`. If a file has several for one field, the first counts. Exportify
 * writes its header in the language of the browser (its `src/i18n/locales`). Plain words for a title and an artist follow.
 */
const NAMES = {
  title:
    'trackname tracktitle songtitle songname title song track mastermetadatatrackname episodename titel titre titolo titulo ' +
    'chanson cancion brano musica lied nombredelacancion nomdutitre nomedellatraccia nomedafaixa nummernaam ' +
    'latensnamn parcaadi ονομακομματιου اسمالاغنية トラック名 曲目名称 曲目名稱 歌名 ' +
    'songtrack tracksong tune recordingname recordingtitle recording itemtitle contentname itemname tytul utwor nazev sarki название песня трек назва 曲名 歌曲名 歌曲名称 歌曲名稱 제목 노래 lat sang kappale cim τιτλος τιτλοσ τραγουδι שיר 곡명 곡 곡제목 タイトル 曲 楽曲名 曲タイトル 标题 標題 歌曲 曲目 piosenka skladba pisen piesa melodie titlu композиция пісня названиетрека названиепесни заглавие песен songtitel liedtitel musiktitel nomdumorceau titredumorceau morceau nazov piesen pjesma naziv sarkiadi parca dalcime tenbaihat judul lagu العنوان الاغنية ชอเพลง eser baslik szam dal nome nombre nom naam namn navn nimi nev ad nazwa 名前 이름 名称 名稱 name ' +
    // Last, because these are numbers in a table that also names the song. "track" comes after "song" for the same reason.
    'nummer faixa',
  // What stands in brackets after the title elsewhere: "Live", "Extended Mix".
  version: 'version trackversion songversion mix mixname mixversion remix remixname',
  artist:
    'trackartists trackartist artistnames artistname artists artist displayartist mainartist mainartists artistcredit artistcreditname songartist creator performer mastermetadataalbumartistname showname episodeshowname ' +
    'interpret interpreten kunstler artiste artistes artista artistas interprete interpretes artiest band ' +
    'singer singers vocalist performers performedby by bandname artistband bandartist ' +
    'kunstlernamen nombresdelartista nomsdelartiste nomedellartista nomesdoartista naamvanartiest artistensnamn ' +
    'sanatciadi ονοματακαλλιτεχνη اسماءالفنانين アーティスト名 艺人名称 藝人名稱 artist名 ' +
    'wykonawca sanatci исполнитель артист виконавець アーティスト 歌手 歌手名 가수 아티스트 kunstner artisti eloado 아티스트명 가수명 아티스트이름 艺术家 藝術家 艺人 藝人 演唱者 演出者 kunstlername nomdelartiste izvodac изпълнител casi nghesi artis penyanyi الفنان ศลปน artysta umelec zpevak esittaja cantante cantor interpret artistnamn artistnavn artiestnaam исполнители группа καλλιτεχνης καλλιτεχνησ אמן',
  albumArtist:
    'albumartistnames albumartistname albumartists albumartist albumkunstlernamen nombresdelartistadelalbum ' +
    'nomsdelartistedelalbum nomedellartistadellalbum nomesdoartistadoalbum naamvanartiestophetalbum ' +
    'albumartistensnamn albumdekisanatciadi ονοματακαλλιτεχνηαλμπουμ اسماءفنانيالالبوم アルバムアーティスト名 ' +
    '专辑艺人名称 專輯藝人名稱 專輯artist名 grandparenttitle',
  album:
    'albumname albumtitle album release releasename releasetitle parenttitle mastermetadataalbumalbumname disco ' +
    'nombredelalbum nomdelalbum nomedellalbum nomedoalbum naamvanalbum albumetsnamn albumadi ονομααλμπουμ ' +
    'اسمالالبوم アルバム名 专辑名称 專輯名稱 專輯名 альбом アルバム 专辑名 專輯 앨범 albumi',
  year:
    'releaseyear yearofrelease year albumreleasedate releasedate released jahr annee ano anno ' +
    'veroffentlichungsdatumdesalbums fechadelanzamientodelalbum datedesortiedelalbum datadirilasciodellalbum ' +
    'datadelancamentodoalbum releasedatumvanhetalbum albumetsreleasedatum albumcikistarihi ' +
    'ημερομηνιακυκλοφοριασαλμπουμ تاريخاصدارالالبوم アルバム発売日 专辑发行日期 專輯發行日期 專輯發行日',
  isrc: 'isrc isrccode externalidsisrc trackisrc isrcs',
  uri:
    'spotifytrackuri spotifyepisodeuri spotifyuri trackuri episodeuri uri spotifyurl spotifytrackurl trackurl spotifylink externalurl ' +
    'externalurls url link href location uridelacancion uridutitre uridellatraccia uridafaixa nummeruri latensuri ' +
    'parcauri uriκομματιου رابطالاغنيةuri トラックuri 曲目uri 歌link spotify identifier originurl',
  id: 'spotifytrackid spotifyid trackid id',
  list: 'playlistname playlist playlisttitle listname',
  type: 'type itemtype favoritetype tralbumtype contenttype containertype mediatype',
  opinion: 'preference score',
  // "Artist - Title", in the files that Apple gives on request.
  song: 'trackdescription itemdescription',
};

/** What a column or key can be used for. `id` is Spotify's ID; `type` says what kind of thing a row is, `opinion` whether it is liked. */
export type Field = keyof typeof NAMES;

export type Fields = Partial<Record<Field, string>>;

const FIELD_NAMES = Object.entries(NAMES).map(
  ([field, names]) => [field as Field, names.split(' ')] as const,
);
/** Maximum number of plans to keep. Rows of one list have few sets of keys; in a hostile file each row may have its own. */
const MAX_PLANS = 100;
/** Names of titles that hardly occur outside the header of a table. */
const ONLY_IN_HEADERS: ReadonlySet<string> = new Set(
  `title titel titre titolo titulo tytul trackname tracktitle songtitle songname ${NAMES.song}`.split(' '),
);
/** Names that only plays have, of which one song may have many. */
const OF_PLAYS: ReadonlySet<string> = new Set(
  (
    'msplayed mastermetadatatrackname listenedat listens scrobbles recenttracks uts utctime dateplayed lastplayeddate ' +
    'playdurationmilliseconds'
  ).split(' '),
);
/** Names that copies of albums have, as in a collection of records: two of them, and none that only songs have. */
const OF_COPIES: ReadonlySet<string> = new Set(
  (
    'catalog catalogno catalognumber catno barcode releaseid format collectionfolder collectionmediacondition mediacondition ' +
    'sleevecondition collectionsleevecondition rymalbum ownership'
  ).split(' '),
);
const OF_SONGS: ReadonlySet<string> = new Set(
  'album duration durationms length time bpm isrc tracknumber trackno path'.split(' '),
);
/** Kinds of things that are not songs, in the singular. `a` is an album of Bandcamp. */
const OTHER_KINDS =
  /^(?:a|album|artist|show|podcast|audiobook|video|musicvideo|station|release|compilation|package|merch)$/u;
/** "Artist Name 1", "Artist 2". */
const ONE_OF_SEVERAL = /^artist(?:name)?\d+$/u;

/** One form for `Artist Name(s)`, `artist_names` and `artistNames`. */
export function columnKey(name: string): string {
  return foldLetters(name).replace(/[^\p{L}\p{N}]/gu, '');
}

/** The columns to use, by their index. Exports of YouTube Music have several columns for the artists. */
export interface ColumnPlan {
  readonly columns: ReadonlyMap<Field, readonly number[]>;
  /** The names in the header, as written. */
  readonly used: Partial<Record<Field, string>>;
}

/** True if one of the names alone says that this is a header. */
export function namesTitles(header: readonly string[]): boolean {
  return header.some((name) => ONLY_IN_HEADERS.has(columnKey(name)));
}

/** False for a header that a table of anything may have, such as "Name,Telephone". */
export function namesSongs(header: readonly string[]): boolean {
  const { columns } = planColumns(header);
  const [title = -1] = columns.get('title') ?? [];
  return (
    columns.size > 1 ||
    !/^(?:name|nome|nombre|nom|naam|namn|navn|nimi|nev|ad|nazwa|название|名前|이름|名称|名稱)$/u.test(
      columnKey(header[title] ?? ''),
    )
  );
}

export function areOfPlays(names: readonly string[]): boolean {
  return names.some((name) => OF_PLAYS.has(columnKey(name)));
}

/** True for a collection of records, whose titles are those of albums, by its header and its first row. */
export function areOfAlbums(header: readonly string[], first: readonly string[]): boolean {
  const keys = header.map(columnKey);
  const isRecord = /(?:\b|\dx)(?:LP|CD|vinyl|cassette)\b|\d"/iu.test(first[keys.indexOf('format')] ?? '');
  const isOfCopies = isRecord || keys.filter((key) => OF_COPIES.has(key)).length > 1;
  return isOfCopies && !keys.some((key) => OF_SONGS.has(key));
}

/** Why a row that says what it is, or that it is disliked, is no song to import; null for a song. */
export function otherThan({ type = '', opinion = '', list = '' }: Fields): string | null {
  if (/^(?:dislike|-1$)/iu.test(opinion)) return 'disliked';
  const kind = columnKey(type)
    .replace(/^library/u, '')
    .replace(/s$/u, '');
  // TuneMyMusic calls a song in a playlist so.
  const isPlaylist = kind === 'playlist' && list === '';
  return isPlaylist || OTHER_KINDS.test(kind) ? `of type "${type.trim().toLowerCase()}"` : null;
}

/** Plans columns and keeps each plan, for rows that each bring their own keys. */
export function columnPlanner(): (names: readonly string[]) => ColumnPlan {
  const plans = new Map<string, ColumnPlan>();
  return (names) => {
    const key = names.join('\n');
    const plan = plans.get(key) ?? planColumns(names);
    if (plans.size < MAX_PLANS) plans.set(key, plan);
    return plan;
  };
}

export function planColumns(header: readonly string[]): ColumnPlan {
  // "Track #" is a number; "#Artist" and "Artist #1" are names.
  const written = header.map((name) => (/[#№]\s*$/u.test(name) ? '' : columnKey(name)));
  // Plex calls the artist of a song so; elsewhere it is a title.
  const isPlex = written.includes('grandparenttitle');
  const keys = written.map((key) => (isPlex && key === 'originaltitle' ? 'trackartist' : key));
  const columns = new Map<Field, readonly number[]>();
  const used: Partial<Record<Field, string>> = {};
  for (const [field, names] of FIELD_NAMES) {
    const found = names.map((name) => keys.indexOf(name)).filter((index) => index !== -1);
    const numbered =
      field === 'artist' ? keys.flatMap((key, at) => (ONE_OF_SEVERAL.test(key) ? [at] : [])) : [];
    // Several columns may hold an address, and the first may be that of another service.
    const wanted = field === 'uri' || field === 'id' ? found : found.slice(0, 1);
    const indexes = numbered.length > 0 && found.length === 0 ? numbered : wanted;
    if (indexes.length === 0) continue;
    columns.set(field, indexes);
    used[field] = indexes.map((index) => (header[index] ?? '').trim()).join(', ');
  }
  // The history of plays that Apple gives on request has titles like "Artist - Title".
  const titles = columns.get('title');
  if (titles && !columns.has('artist') && !columns.has('albumArtist') && areOfPlays(header))
    columns.set('song', titles);
  return { columns, used };
}

/** The values of one row, several of one field joined by commas; of several addresses or IDs, only the first of Spotify. */
export function fieldsOf(plan: ColumnPlan, values: readonly string[]): Fields {
  const fields: Fields = {};
  for (const [field, indexes] of plan.columns) {
    const given = indexes.map((index) => (values[index] ?? '').trim()).filter((value) => value !== '');
    const isAddress = field === 'uri' || field === 'id';
    if (given.length > 0) fields[field] = isAddress ? (given.find(isSpotify) ?? '') : given.join(', ');
  }
  const [, artist, title] = /^(.*?\S) [-–] (.+)$/u.exec(fields.song ?? '') ?? [];
  return artist && title && !fields.artist ? { ...fields, artist, title } : fields;
}

/** True for an address or ID of Spotify. Other services write their own addresses into columns of the same name. */
function isSpotify(value: string): boolean {
  return BARE_ID.test(value) || /spotify[:.]/iu.test(value);
}
