# Turns the files of src/view/player into C: one string literal per line, since C guarantees only 4095 characters in one
# literal. The build runs it when one of these files changes (see view.cmake); it needs only CMake.
#
#   cmake -DFOLDER=src/view/player -DOUTPUT=player.inc -P embed_player.cmake

cmake_policy(VERSION 3.22)

set(scripts model layers views draw controls texts live open)  # in the order in which they use each other

# Reads a file without the newlines at its end.
function(read_page name variable)
  file(READ ${FOLDER}/${name} text)
  string(REGEX REPLACE "\n+$" "" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

read_page(page.html page)
read_page(style.css style)
set(script)
foreach(name ${scripts})
  read_page(${name}.js text)
  if(script)
    string(APPEND script "\n\n")
  endif()
  string(APPEND script "${text}")
endforeach()

# @TITLE@ and @DATA@ stay: player.c writes what belongs there.
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")

string(REPLACE "\\" "\\\\" page "${page}")
string(REPLACE "\"" "\\\"" page "${page}")
string(REPLACE "?" "\\?" page "${page}")
string(REPLACE "\n" "\\n\",\n  \"" page "${page}")
file(WRITE ${OUTPUT} "// Made from src/view/player: edit those files, not this one.\n  \"${page}\\n\",\n")
