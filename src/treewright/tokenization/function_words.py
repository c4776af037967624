"""The most frequent words of languages, and the scripts that tell a language by themselves.

Function words are a third of any text, and few languages share them.  Each language has a list of about forty.
"""

from __future__ import annotations

import re

__all__ = ["LISTS", "SCRIPTS"]

_FUNCTION_WORDS = """
af: die van en in is het nie wat vir 'n om te met op dat hy sy word as aan kan ook deur by moet maar daar hulle ons
    dit was na sal uit hierdie oor meer wees haar jy so tot u
ar: في من على أن إلى التي عن الذي ما مع هذا هذه كان كما لا لم و ان بين بعد قد هو ذلك أو قبل عند حيث كل منذ وقد إن غير
    هي
cs: a v se na je že s z o do i to ve za k by pro jako jsem ale po od být jsou který která které při bude byl byla bylo
    už jen co nebo si podle však také před není až ze pak jak ještě když
da: og i at det en den til er som på de med han af for ikke der var et har om sig jeg men vi ham hun nu havde være
    blev fra efter også kan hvor ved skal eller hvad sine meget over mod
de: der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass
    sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch
en: the of and to in a is that for it was on with as be at by this had not are but from or have an they which one you
    were all their there been if more when will would who so no he she his her we i my your what do can about out up
    just me
es: de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre
    este ya entre cuando todo esta ser son dos también fue había era muy hasta desde está nos
eu: eta da ez bat du zen dira ere egin zuen dute izan hori baina den ziren duen dela dituen baino bere beste zuten
    gabe edo izango oso behar arte gero nahi hau ari batean ditu baita horrek
fi: ja on ei se että oli hän mutta ovat kun niin en myös tai jos kuin sen joka mukaan vain olen ole ollut voi minä ne
    sitä mitä jo nyt sekä jotka vielä kanssa olla siitä tämä hänen ennen
fr: de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec ou son aux
    cette été je mais comme on sa nous vous elle ont d' l' qu' n' s' c' j' ses leur même
ga: an na agus ar a i go is ag le sé sin do bhí atá tá leis ach ná nach de mar faoi ó chun siad sí seo gur don é ba
    aon raibh bhfuil iad níos dá ann féin eile
gd: an a agus na air e tha bha ann is gu nach le do i aig sin bh gun mi dh chaidh iad robh mar dha bho mu cha ach seo
    cuideachd às leis chan sibh bhith fhèin am
got: jah in ni þatei du iþ ei sa þai jus þis wisan is imma ik ina þo mis izwis af ist qaþ auk and ana þamma izwara guþ
    sunus frauja þan unsis
hr: i je u se na da su za od s koji to će kao a o do iz ne sa što bi bio bila nije po koja koje samo ili još jer nakon
    prema također ali biti kako godine smo te već pri ako
hu: a az és hogy nem is egy meg ez csak már de ha mint volt vagy el még szerint azt kell van le ezt lesz majd illetve
    között pedig után aki amely minden sem ki be lehet sok
lt: ir kad į su iš tai yra ne kaip o bet ar už tik jis po buvo dar apie jau nuo prie pagal iki bus jei savo arba kuris
    taip jo jos be per kurie labai ji dėl
nl: de van en het een in is dat op te zijn met voor die niet aan er om ook als dan maar bij of uit was door naar hij
    heeft ik ze wordt over worden wel nog zij kan hebben deze dit werd tot had geen we
pt: de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou
    ser quando muito há nos já está eu também só pelo pela até isso ela entre era são
ru: и в не на я что с он а как то это по но к у из за все так его от о для мы был же бы или они было если только быть
    когда где еще уже есть да нет ты вы меня она ее при
sk: a v sa na je že s z o do aj to vo za k by pre ako som ale po od byť sú ktorý ktorá ktoré pri bude bol bola bolo už
    len čo alebo si podľa však tiež pred nie až zo potom keď ešte
sl: in je v se na da so za ki pa z s ne bi po tudi kot ni od bil bila bilo iz o to le pri ga še kar če ter mu kako bo
    bodo že ob do med sem ali
sv: och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan när år man
    eller hade vid nu efter ut sin skall hon under också denna inom där dessa
tr: ve bir bu da de için çok ile o ne gibi daha kadar sonra olarak en var ben mi olan ama her ki şey değil ya diye yok
    şu hiç onu kendi iki bile böyle önce bana nasıl
"""

#: How the names of the letters of a script begin → the only large language that is written in it.
SCRIPTS = {
    "GOTHIC": "got",
    "GREEK": "el",
    "HANGUL": "ko",
    "HEBREW": "he",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "CJK": "zh",
}

#: A language → its function words.
LISTS = {code: frozenset(words.split()) for code, words in re.findall(r"(?m)^(\w+): ((?:.|\n +)*)", _FUNCTION_WORDS)}
