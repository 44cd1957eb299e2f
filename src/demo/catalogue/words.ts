/**
 * The words that names are made of. They are everyday words: people's first searches ("love", "summer") find something, and
 * names cost a model as many tokens as real ones. They are combined at random, and no real artist, title, album or show is
 * meant. Add only words of this kind.
 */

export const NAME_STARTS = words(
  'Her Ben Nor Ken Wil Pen Hen Har Ash Hol Wes Lan Fen Win Tam Ard Park Car Hay Bel Mar Ald Dan Mill',
);
export const NAME_MIDDLES = ['', '', '', '', 'a', 'er', 'ing', 'le', 'on', 'o'];
export const NAME_ENDS = words(
  'er ton den field man dale mont way ford wood mark well son ville ers gate port land shaw ley',
);
export const BAND_NOUNS = words(
  'Maps Cards Clouds Doors Windows Letters Lights Bells Rivers Trees Stones Wheels Kites Boats Mills Bridges',
);
export const BAND_TAILS = words(
  'Quartet Assembly Club Engine Society Choir Orchestra Office Machine Ensemble',
);

export const ADJECTIVES = words(
  'Amber Lemon Nine Salt Hollow Quarter Tin Paper Soft Orange Open Thin Navy Inland Little Winter Copper Late Silver Second Lunar Pale Plain Wool Corner Stone Candle Hidden Pure Slate Back Apple Dark Round Weather Warm Button Ash Glass Early',
);
export const NOUNS = words(
  'Radio Harbor Lamp Road Needle Compass Love Train Night Hour Summer Coffee Bridge Calendar Rain Heart Window Boat Letter Morning Piano Gate Snow Smoke Beacon Carousel Field Ink Forest Garden Signal Mountain Dance Tree Valley River Mirror Island Fire Ocean Star Wheel Comet Factory Pocket Mile Shore Dream Clock Cloud',
);
export const GERUNDS = words(
  'Painting Counting Leaving Finding Drawing Keeping Waiting Reading Calling Turning',
);
export const PLACES = words(
  'Eastport Haven Oak Brook Northfield Fairview Bridge Hillside Westbrook Cape Elm Weir',
);
/** Titles that several artists use. */
export const SHARED_TITLES = [
  'Saltwater Telegram',
  'Lamplight Ledger',
  'Ninth Semaphore',
  'Borrowed Thimble',
  'Paper Viaduct',
  'Weathervane Waltz',
  'Copper Kettle Sky',
  'Hourglass Harbour',
  'Slow Barometer',
  'Inland Lighthouse',
  'Orchard Static',
  'Tin Parasol',
  'Unpaved Evening',
  'Quayside Hum',
  'Marbled Rain',
  'Cinder Carousel',
];

export const GENRES = [
  'indie folk',
  'chamber pop',
  'synthpop',
  'ambient',
  'post-rock',
  'house',
  'hip hop',
  'jazz',
  'soul',
  'metal',
  'country',
  'electronica',
];

/** Latin names with marks and strokes, ampersands, articles, and names without a single letter. */
export const SPECIAL_ARTISTS = [
  'Zoë Ålmqvarn',
  'Çelestrà Ñumbo',
  'Bjørnskår Ødegryn',
  'Łukomír Żelwar',
  'Đorvath & Straße Nord',
  'Ærlind Sæthmoor',
  'Þorgrell',
  'Œuvrelle',
  'Ştelvan Ğürmez',
  'Trằmvương Vẽlq',
  'Señor Plumba',
  'Naïve Kaleidôme',
  'Ōtarō Pell',
  'Müßiggängerei',
  '¡¿!',
  '~~~~',
  '40417',
  '0909',
  'M.O.R.V.',
  "D'Quillane O'Brask",
  'K$sk8',
  'pell.exe',
];
export const SPECIAL_TITLES = [
  'Été Perdu à Quillport',
  'Smørbrød på Månen',
  'Żółta Łódź',
  'Große Straße',
  'Cæsium Dæmon',
  'Niño del Añil',
  '?!¿?',
  '…—…',
  '7193',
  '11:47',
  "Don't Unpick It",
  'Rise/Fall/Rise',
];

export interface ScriptWords {
  readonly artists: readonly string[];
  readonly nouns: readonly string[];
  /** Joins two nouns so that the pair reads "X and Y". */
  readonly and: string;
}

export const SCRIPTS: readonly ScriptWords[] = [
  {
    artists: ['Вельморан', 'Тростяной Кварц', 'Осторожный Пеликан', 'Ёлкин и Жирандоль'],
    nouns: words('Маяк Полынь Иней Звонница Брусчатка Компас Крыжовник Щёголь Якорь Йод'),
    and: ' и ',
  },
  {
    artists: ['Βελμοράνη', 'Χάλκινος Γερανός Ένα', 'Οι Φανοποιοί του Κόρβα', 'Θρηνώ Πελλ'],
    nouns: words('Φάρος Πυξίδα Ανεμώνη Λιμάνι Ψαλίδι Άγκυρα Ρόδι Ώρα Ύφασμα Κερί'),
    and: ' και ',
  },
  {
    artists: ['硯灯り楽団', 'ヴェルモラン', 'おぼろ時計店', 'トレンの羅針'],
    nouns: words('灯台 硯 羅針盤 すずめ ガラス窓 夜汽車 みかん箱 雨傘 時計草 パズル'),
    and: 'と',
  },
  {
    artists: ['벨모란상회', '등대지기 아홉', '코르브 악단', '안개우체국'],
    nouns: words('등대 나침반 우산 벼루 유리창 기차표 돛단배 모래시계 살구 연필'),
    and: ' 그리고 ',
  },
  {
    artists: ['فرقة فلموران', 'منارة كورف', 'بوصلة النحاس التاسعة', 'أوستران'],
    nouns: words('منارة بوصلة مظلة قنديل مرساة نافذة ساعة زعفران قافلة إبريق'),
    and: ' و',
  },
  {
    artists: ['ולמורן', 'להקת המצפן התשיעי', 'פנס הנחושת', 'אוסטרן וקורב'],
    nouns: words('מגדלור מצפן מטריה עוגן חלון שעון רימון עיפרון קומקום סירה'),
    and: ' ו',
  },
  {
    artists: ['砚台乐队', '维尔莫兰', '第九灯塔', '铜雨伞社'],
    nouns: words('灯塔 砚台 罗盘 雨伞 玻璃窗 沙漏 石榴 铅笔 茶壶 帆船'),
    and: '与',
  },
];

/** Artists who record other people's songs. */
export const TRIBUTE_ARTISTS = [
  'The Evening Tribute Bureau',
  'Ostermoor Cover Assembly',
  'Second Hand Singers',
];
export const KARAOKE_ARTISTS = ['Backing Track Parlour', 'Sing-It-Yourself Machine'];
export const VARIOUS_ARTISTS = 'Various Artists';

export const SHOW_NAMES = [
  'The Weir and the Wireless',
  'Footnotes from Quillport',
  'Nine Kettles: A Slow Mystery',
  'Barometer Talk',
  'Städte ohne Straßen',
  'Подкаст «Звонница»',
];

function words(text: string): readonly string[] {
  return text.split(' ');
}
