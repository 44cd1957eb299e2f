/**
 * The words that names are made of, and the patterns that they fill. They are everyday words: people's first searches ("love",
 * "summer") find something, and names cost a model as many tokens as real ones. They are combined at random, and no real artist,
 * title, album or show is meant. Add only words of this kind.
 */

/** Words by their names in patterns. */
export const WORDS = {
  start: words(
    'Her Ben Nor Ken Wil Pen Hen Har Ash Hol Wes Lan Fen Win Tam Ard Park Car Hay Bel Mar Ald Dan Mill',
  ),
  middle: ['', '', '', '', 'a', 'er', 'ing', 'le', 'on', 'o'],
  end: words('er ton den field man dale mont way ford wood mark well son ville ers gate port land shaw ley'),
  group: words(
    'Maps Cards Clouds Doors Windows Letters Lights Bells Rivers Trees Stones Wheels Kites Boats Mills Bridges',
  ),
  tail: words('Quartet Assembly Club Engine Society Choir Orchestra Office Machine Ensemble'),
  adjective: words(
    'Amber Lemon Nine Salt Hollow Quarter Tin Paper Soft Orange Open Thin Navy Inland Little Winter Copper Late Silver Second Lunar Pale Plain Wool Corner Stone Candle Hidden Pure Slate Back Apple Dark Round Weather Warm Button Ash Glass Early',
  ),
  noun: words(
    'Radio Harbor Lamp Road Needle Compass Love Train Night Hour Summer Coffee Bridge Calendar Rain Heart Window Boat Letter Morning Piano Gate Snow Smoke Beacon Carousel Field Ink Forest Garden Signal Mountain Dance Tree Valley River Mirror Island Fire Ocean Star Wheel Comet Factory Pocket Mile Shore Dream Clock Cloud',
  ),
  gerund: words('Painting Counting Leaving Finding Drawing Keeping Waiting Reading Calling Turning'),
  place: words('Eastport Haven Oak Brook Northfield Fairview Bridge Hillside Westbrook Cape Elm Weir'),
  genre: list(`
    indie folk, chamber pop, synthpop, ambient, post-rock, house, hip hop, jazz, soul, metal, country,
    electronica`),
};

/** An invented proper name, as of a family or a village. */
export const PROPER_NAME = '{start}{middle}{end}';
export const ARTIST_PATTERNS = list(`
  {adjective} {start}, {adjective} {group}, The {noun} {group}, {noun} & {noun}, {noun} & The {group},
  {noun} {tail}, ${PROPER_NAME}, DJ ${PROPER_NAME}`);
export const TITLE_PATTERNS = list(`
  {adjective} {noun}, {adjective} {noun}, {gerund} the {noun}, {noun} {noun}, {noun} & {noun},
  {place} {noun}, {adjective} {nouns}`);
export const ALBUM_PATTERNS = list(`
  {noun} Papers, {adjective} Rooms, {place} {nouns}, {adjective} {nouns}, {noun} & {noun}`);
/** How titles name a guest. Some do not. */
export const GUEST_PATTERNS = list(`
  {title} (feat. {guest}), {title} (ft. {guest}), {title} feat. {guest}, {title} (with {guest}),
  {title} [feat. {guest}], {title} (featuring {guest}), {title}`);

/** Titles that several artists use. */
export const SHARED_TITLES = list(`Saltwater Telegram, Lamplight Ledger, Ninth Semaphore, Borrowed Thimble,
  Paper Viaduct, Weathervane Waltz, Copper Kettle Sky, Hourglass Harbour, Slow Barometer, Inland Lighthouse,
  Orchard Static, Tin Parasol, Unpaved Evening, Quayside Hum, Marbled Rain, Cinder Carousel`);

/** Latin names with marks and strokes, ampersands, articles, and names without a single letter. */
export const SPECIAL_ARTISTS = list(`Zoë Ålmqvarn, Çelestrà Ñumbo, Bjørnskår Ødegryn, Łukomír Żelwar,
  Đorvath & Straße Nord, Ærlind Sæthmoor, Þorgrell, Œuvrelle, Ştelvan Ğürmez, Trằmvương Vẽlq, Señor Plumba,
  Naïve Kaleidôme, Ōtarō Pell, Müßiggängerei, ¡¿!, ~~~~, 40417, 0909, M.O.R.V., D'Quillane O'Brask, K$sk8,
  pell.exe`);
export const SPECIAL_TITLES =
  list(`Été Perdu à Quillport, Smørbrød på Månen, Żółta Łódź, Große Straße, Cæsium Dæmon,
  Niño del Añil, ?!¿?, …—…, 7193, 11:47, Don't Unpick It, Rise/Fall/Rise`);

/** Artists and nouns of other scripts, and how two of the nouns make a title that reads "X and Y". */
export const SCRIPTS = [
  'Вельморан, Тростяной Кварц, Осторожный Пеликан, Ёлкин и Жирандоль | Маяк Полынь Иней Звонница Брусчатка Компас Крыжовник Щёголь Якорь Йод | {first} и {second}',
  'Βελμοράνη, Χάλκινος Γερανός Ένα, Οι Φανοποιοί του Κόρβα, Θρηνώ Πελλ | Φάρος Πυξίδα Ανεμώνη Λιμάνι Ψαλίδι Άγκυρα Ρόδι Ώρα Ύφασμα Κερί | {first} και {second}',
  '硯灯り楽団, ヴェルモラン, おぼろ時計店, トレンの羅針 | 灯台 硯 羅針盤 すずめ ガラス窓 夜汽車 みかん箱 雨傘 時計草 パズル | {first}と{second}',
  '벨모란상회, 등대지기 아홉, 코르브 악단, 안개우체국 | 등대 나침반 우산 벼루 유리창 기차표 돛단배 모래시계 살구 연필 | {first} 그리고 {second}',
  'فرقة فلموران, منارة كورف, بوصلة النحاس التاسعة, أوستران | منارة بوصلة مظلة قنديل مرساة نافذة ساعة زعفران قافلة إبريق | {first} و{second}',
  'ולמורן, להקת המצפן התשיעי, פנס הנחושת, אוסטרן וקורב | מגדלור מצפן מטריה עוגן חלון שעון רימון עיפרון קומקום סירה | {first} ו{second}',
  '砚台乐队, 维尔莫兰, 第九灯塔, 铜雨伞社 | 灯塔 砚台 罗盘 雨伞 玻璃窗 沙漏 石榴 铅笔 茶壶 帆船 | {first}与{second}',
].map((line) => {
  const [artists = '', nouns = '', title = ''] = line.split(' | ');
  return { artists: list(artists), nouns: words(nouns), title };
});

/** Artists who record other people's songs, which of those, and how they name them. */
export const COVERS = [
  ['The Evening Tribute Bureau', 12, 'A Tribute, Part 1', 0, 3, '{title} (Tribute to {artist})'],
  ['Ostermoor Cover Assembly', 12, 'A Tribute, Part 2', 1, 3, '{title} - Cover'],
  ['Second Hand Singers', 12, 'A Tribute, Part 3', 2, 3, '{title}'],
  [
    'Backing Track Parlour',
    7,
    'Karaoke Evening 1',
    0,
    2,
    '{title} (Originally Performed by {artist}) [Karaoke]',
  ],
  ['Sing-It-Yourself Machine', 7, 'Karaoke Evening 2', 1, 2, '{title} - Karaoke Version'],
] as const;

export const SHOW_NAMES =
  list(`The Weir and the Wireless, Footnotes from Quillport, Nine Kettles: A Slow Mystery,
  Barometer Talk, Städte ohne Straßen, Подкаст «Звонница»`);

function words(text: string): string[] {
  return text.split(' ');
}

function list(text: string): string[] {
  return text.trim().split(/,\s+/);
}
