# cpack reads this for each kind of package.
if(CPACK_GENERATOR STREQUAL TXZ)
  set(CPACK_COMPONENTS_ALL portable)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
else()
  set(CPACK_COMPONENTS_ALL tools runtime dev)
endif()
