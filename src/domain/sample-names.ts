/** A category, and names for its pets: a text with commas between them. */
const named = (category: string, names: string) => ({ category, names: names.trim().split(/,\s+/) });

/** The categories of a sample shop, with names for their pets. The ids of the categories count from 1. */
export const sampleNames: readonly { category: string; names: readonly string[] }[] = [
  named(
    "Dogs",
    `Professor Woof, Ørsted, 小黑, Шарик, Fido, Luna the Second, Rocky, Lassie, Bella, Milou, Coco, Τζακ, Rex,
    Ziggy, Idéfix, ハチ, Waffles, Bruno, 초코, Balto, Žofka, Sir Barks-a-Lot, 旺财, Señorita, Rosie, O'Malley, Maggie,
    Duke, Kuro, Biscuit, Zeus, Γκρέτα, Obélix, Bärli, Nala, Стрелка, Snoopy, Akamaru, Äpfelchen, Hachikō, Белка,
    Toto, Pfötchen, Łatek, 멍이`,
  ),
  named(
    "Cats",
    `Pixel, Tom, Gato, Macavity, Tekir, Old Deuteronomy, بسبوس, Simba, Gráinne, Nibbles & Bits, Smokey,
    Pangur Bán, Барсик, Chloé, Bastet, Salem, Minou, Whiskers, 三毛, Felix, Kiki, 咪咪, たま, Jiji, מיצי, مشمش, Ñoña,
    Loulou, Garfield, Duman, Bolinha, Kätzchen, Mitzi, Şeker, Oreo, Minouche, Mîrcea, Mia, Ginger, Pamuk,
    Васька, Tamá, 나비, Мурка, Schrödinger`,
  ),
  named(
    "Birds",
    `Гоша, Zazu, 짹짹, Paulie, ピーちゃん, Lóri, Polly, Kiwi, Piolín, Kakadu, Pípa, 啾啾, Papageno, Captain Flint, Tweety,
    Mango, Iago, Sky, Beo, Blu, Hedwig, Кеша`,
  ),
  named(
    "Fish",
    `Blubb, Poisson, Dory, Goldie, Nemo, Bubbles, Moby, 金魚, Sushi, Cleo, Finn, Čárka, Fish & Chips, Wanda, Кракен`,
  ),
  named(
    "Rabbits",
    `Thumper, Fiver, Schnuffel, Cotton, Pépin, Möhrchen, Bigwig, Králík, うさ, Clover, Peter, Cottontail, 토순이,
    Mopsy, Flopsy, Hazel, 兔兔`,
  ),
  named(
    "Reptiles",
    `Norbert, Yoshi, Michelangelo, Raphael, カメ吉, Kaa, Donatello, Želva, Schildi, Draco, Rex II, Godzilla, Spike,
    Rango, Leonardo`,
  ),
  named(
    "Horses",
    `Pégase, Буцефал, Jolly Jumper, Blesi, 赤兎, Black Beauty, Silver, Argento, Freyfaxi, Bucephalus, Shadowfax,
    Seabiscuit, Rocinante, Sleipnir, Þytur`,
  ),
  named(
    "Rodents",
    `Krümel, Speedy, Gus, Algernon, Stuart, Chispa, Křeček, Nibbles, Mr. Jingles, ハム太郎, Jaq, Pip, Hamtaro,
    Peanut, Хома, Remy`,
  ),
  named("Goats, sheep and pigs", `Wilbur, Heiðrún, Nanny, Эмма, Shaun, Clementine, Dolly, Babe, Rosalía, Old Ben`),
];
